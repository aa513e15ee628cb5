// SentencePiece's own reader of a model, for tokenizer.cpp.
#pragma once

#include <sentencepiece_processor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace transformer::data {

using Processor = sentencepiece::SentencePieceProcessor;

/// content: of a model's file, which `name` stands for in messages. Throws InputError for other content.
std::shared_ptr<const Processor> load_processor(const std::string& content,
                                                const std::filesystem::path& name);

/// Whether its special ids are those of special_tokens.h.
bool has_special_ids(const Processor& processor);

/// The pieces by their ids.
std::vector<std::string> pieces_of(const Processor& processor);

/// Whether a text's pieces, one behind another, are its words with the mark in front of each.
bool is_word_model(const Processor& processor, std::string_view content);

}  // namespace transformer::data

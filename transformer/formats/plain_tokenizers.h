// A model's tokenizers for programs that have SentencePiece alone.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "transformer/checkpoints/tokenizers.h"

namespace transformer::formats {

/// Throws InputError for a tokenizer of whole words (data.tokenizer_kind), which no other program has.
void check_subwords(const data::Tokenizer& tokenizer);

/// The tokenizers' files by name, tokenizer.model, or tokenizer.source.model and tokenizer.target.model. They
/// are SentencePiece models whose own ids are those of the model. A tokenizer with a vocabulary is converted
/// by data::renumbered_model, to encode the source and to decode the target. Throws InputError if that is
/// impossible.
std::map<std::string, std::string> plain_tokenizer_files(const checkpoints::Tokenizers& tokenizers);

/// Writes these files into a folder, and loads them.
checkpoints::Tokenizers write_plain_tokenizers(const checkpoints::Tokenizers& tokenizers,
                                               const std::filesystem::path& folder);

}  // namespace transformer::formats

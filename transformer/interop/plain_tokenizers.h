// A model's tokenizers for programs that have SentencePiece alone.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "transformer/store/tokenizers.h"

namespace transformer::interop {

/// The tokenizers' files by name, tokenizer.model, or tokenizer.source.model and tokenizer.target.model:
/// SentencePiece models whose own ids are those of the model. A tokenizer with a vocabulary is written anew
/// as data::renumbered_model does, to encode the source and to decode the target. Throws InputError where
/// that cannot be.
std::map<std::string, std::string> plain_tokenizer_files(const store::Tokenizers& tokenizers);

/// Writes these files into a folder, and loads them.
store::Tokenizers write_plain_tokenizers(const store::Tokenizers& tokenizers,
                                         const std::filesystem::path& folder);

}  // namespace transformer::interop

// The files of Hugging Face's tokenizers of encoder-decoders.
#pragma once

#include <filesystem>

#include "transformer/formats/huggingface/seq2seq_tokens.h"

namespace transformer::formats::seq2seq {

/// Writes the files that TokenForm lists, and tokenizer_config.json. longest: tokens of a source with its
/// end, or nothing.
void write_tokens(const checkpoints::Tokenizers& tokenizers, const TheirTokens& tokens,
                  std::optional<std::int64_t> longest, const std::filesystem::path& folder);

}  // namespace transformer::formats::seq2seq

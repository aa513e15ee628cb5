// The tokens of Hugging Face's encoder-decoders.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "transformer/data/tokenizer.h"
#include "transformer/formats/huggingface/seq2seq_config.h"
#include "transformer/formats/numbering.h"

namespace transformer::formats::seq2seq {

struct Vocabulary {
  PieceNumbering numbering;
  std::shared_ptr<const data::Tokenizer> tokenizer;
};

/// * T5: spiece.model (or tokenizer.model) and the tokens <extra_id_0>, …
/// * M2M-100: sentencepiece.bpe.model, which splits, vocab.json, which numbers, and a token for each
/// language.
/// * NLLB and mBART: sentencepiece.bpe.model alone, whose pieces follow four special ones, and the same
/// tokens.
/// * BART: GPT-2's pairs of bytes, vocab.json and merges.txt.
///
/// Tokens behind the pieces have their ids from tokenizer.json or tokenizer_config.json, or they follow in
/// the order of additional_special_tokens. Throws InputError for a missing or damaged file, and for ids
/// beyond the embedding.
Vocabulary read_vocabulary(const std::filesystem::path& folder, const Config& config);

}  // namespace transformer::formats::seq2seq

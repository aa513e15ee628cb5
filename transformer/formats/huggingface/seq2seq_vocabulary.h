// The tokens of Hugging Face's encoder-decoders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/formats/huggingface/seq2seq_config.h"
#include "transformer/formats/numbering.h"

namespace transformer::formats::seq2seq {

struct Vocabulary {
  PieceNumbering numbering;
  checkpoints::Tokenizers tokenizers;  ///< one for both sides, but of MarianTokenizer's files
  std::string language = {};           ///< the token of src_lang, with which each source begins; or nothing
};

/// * T5: spiece.model (or tokenizer.model) and the tokens <extra_id_0>, …
/// * M2M-100: sentencepiece.bpe.model, which splits, vocab.json, which numbers, and a token for each
/// language.
/// * NLLB and mBART: sentencepiece.bpe.model alone, whose pieces follow four special ones, and the same
/// tokens.
/// * BART: GPT-2's pairs of bytes, vocab.json and merges.txt.
/// * MarianTokenizer's, of our exports: source.spm and target.spm, which split, and vocab.json.
///
/// Tokens behind the pieces have their ids from tokenizer.json or tokenizer_config.json, or they follow in
/// the order of additional_special_tokens. Throws InputError for a missing or damaged file, and for ids
/// beyond the embedding.
Vocabulary read_vocabulary(const std::filesystem::path& folder, const Config& config);

/// Whether the tokenizer is MarianTokenizer, which puts nothing in front of a text.
bool has_marian_tokens(const std::filesystem::path& folder);

}  // namespace transformer::formats::seq2seq

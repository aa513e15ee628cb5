// The tokens of a model of ours in the numbering and the files of Hugging Face's encoder-decoders.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transformer/checkpoints/tokenizers.h"
#include "transformer/formats/huggingface/seq2seq_config.h"

namespace transformer::formats::seq2seq {

/// A class of theirs that makes tokens, with its files.
enum class TokenForm {
  t5,      ///< T5Tokenizer: spiece.model, whose numbering counts, and sentinels behind its pieces
  m2m,     ///< M2M100Tokenizer: sentencepiece.bpe.model, and vocab.json with the numbers
  nllb,    ///< NllbTokenizer: sentencepiece.bpe.model, whose pieces follow four special ones, and languages
  bart,    ///< BartTokenizer: vocab.json and merges.txt
  marian,  ///< MarianTokenizer, which splits as SentencePiece does: source.spm, target.spm, vocab.json
};

struct TheirTokens {
  TokenForm form = TokenForm::marian;
  std::vector<std::int64_t> ours = {};  ///< the id of each of theirs
  std::vector<std::string> pieces = {};
  std::int64_t unknown = 0, pad = 0, end = 0, start = 0;
  std::int64_t listed = 0;     ///< pieces of the vocabulary's file; others have other files, or no name
  std::int64_t sentinels = 0;  ///< of T5, behind these
  std::optional<std::int64_t> source_first = {}, first = {};  ///< with which sources and outputs begin
  std::string language_codes = {};                            ///< M2M100Tokenizer's name of its languages
  std::string source_language = {}, target_language = {};     ///< those that texts begin with

  /// Rows by our ids (V, …) → by theirs.
  torch::Tensor rows(const torch::Tensor& ours_rows) const;
};

/// The family's own class if the pieces are as it has them, else MarianTokenizer with our order of them.
///
/// begins_as: the token whose embedding our begin doubles, if any: it begins outputs there, and our begin is
/// left out. Throws InputError, naming the tokenizer's file, for what no class makes: words, other kinds of
/// tokenizers, a token in front of each source that the class would not put there, and different vocabularies
/// of both sides.
TheirTokens their_tokens(const checkpoints::Tokenizers& tokenizers, Family family,
                         std::optional<std::int32_t> begins_as);

}  // namespace transformer::formats::seq2seq

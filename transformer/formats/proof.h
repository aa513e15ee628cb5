// Whether an export is the same model: it is loaded back and compared before anybody may use it.
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transformer/base/special_tokens.h"
#include "transformer/data/tokenizer.h"
#include "transformer/models/model.h"
#include "transformer/search/hypothesis.h"
#include "transformer/search/options.h"

namespace transformer::formats {

/// What an export must be able to do. Ids are the model's own; rows end in kEos and are padded with kPad.
///
/// A language model gets one text at a time. Its source is the beginning of the text, (1, S), with what texts
/// begin with in front and no end. Its target is the continuation, which starts with kBos in the place of the
/// source; its search makes the greedy one, of options.length_offset tokens at most and with the score 0.
///
/// An encoder alone gets one text at a time as the source, with kBos in front, no target, and no search
/// (encoder_proof.h).
struct Candidate {
  /// source: (B, S), target: (B, T), which starts with kBos → logits of the tokens that follow (B, T, V)
  std::function<torch::Tensor(const torch::Tensor& source, const torch::Tensor& target)> logits;
  /// The best hypothesis of each sentence. source: (B, S)
  std::function<std::vector<search::Hypothesis>(const torch::Tensor& source,
                                                const search::DecodeOptions& options)>
      search;
  /// The ids of a text in the source language, as the export's own tokenizer gives them.
  std::function<std::vector<std::int32_t>(const std::string& text)> encode = {};
};

/// A model of ours as a candidate: what was read back from a format that holds weights.
Candidate candidate_of(models::AnyModel model);
/// With the tokenizer that lies beside them.
Candidate candidate_of(models::AnyModel model, std::shared_ptr<const data::Tokenizer> source);

/// Sentences to compare on: ids without the end token.
struct Sample {
  std::string origin;  ///< for the reader of the proof
  std::vector<std::vector<std::int32_t>> sentences;
  std::vector<std::string> texts = {};  ///< of each sentence, or none at all; an empty one is not compared
  std::int32_t begin = kBos;            ///< what a language model's texts begin with
};

/// How far logits may differ and be the same but for rounding, if the largest is 10; else in proportion.
struct Tolerance {
  Tolerance(double close) : Tolerance(close, close, 1) {}  // NOLINT(google-explicit-constructor)
  Tolerance(double close, double most, double smallest) : close(close), most(most), smallest(smallest) {}

  double close;     ///< also: how far apart two logits are that either may win, see prove()
  double most;      ///< where all outputs are equal, which then decide
  double smallest;  ///< the largest logit is taken for at least this
};

/// Rounding of fp32, and of bf16, whose numbers have eight bits.
inline const Tolerance kRounding32{1e-4}, kRounding16{0.25, 1.0, 10.0};

/// Results of one search on all sentences.
struct SearchProof {
  std::string name;
  std::size_t equal = 0;  ///< sentences with the same tokens and score
  std::size_t ties = 0;   ///< others, where rounding decided: see prove()
};

struct Proof {
  std::string origin;
  std::size_t sentences = 0;
  double logit_difference = 0.0;  ///< largest one, over all positions and all tokens that can be produced
  double largest_logit = 0.0;     ///< the model's largest absolute logit
  bool diverged = false;          ///< the model itself computes NaN or infinity, so nothing was compared
  Tolerance tolerance{0.0};       ///< for logits as large as largest_logit
  std::vector<SearchProof> searches;
  std::size_t texts = 0;          ///< number of compared texts
  std::size_t encoded_equal = 0;  ///< texts with the same ids
  std::size_t with_unknown = 0;   ///< others, for which the model's own tokenizer has unknown tokens

  /// How many sentences of a search must be equal or ties: 99 of 100, all of fewer.
  std::size_t enough() const { return sentences - sentences / 100; }
  bool holds() const;
  /// A small table, a line for each comparison.
  std::string table() const;

 private:
  bool outputs_equal() const;
  double allowed_difference() const;
};

/// Compares logits along the native greedy output, then greedy search, then beam search as options say. The
/// sentences of a language model are texts: the first kContinued tokens of each get as many greedy ones.
///
/// Logits of padding and begin are not compared, since these are never produced. If a token's probability is
/// zero in fp32 beside the best one, only that fact is compared.
///
/// Logits that differ by at most the tolerance may decide a search differently; such outputs count as ties. A
/// greedy output is a tie if, where it first differs, the native logits of the two tokens are that close. An
/// output of beam search is a tie if the native model gives both outputs the same score. A hypothesis that
/// was dropped early for such a difference is not recognised, so one sentence in a hundred may differ.
///
/// Texts must give the same ids, except if the model's own tokenizer finds unknown tokens. Another tokenizer
/// with the same pieces may split such a text into smaller ones.
inline constexpr std::int64_t kContinued = 32;
Proof prove(models::AnyModel native, const Candidate& candidate, const Sample& sample,
            const search::DecodeOptions& options, const Tolerance& tolerance);

}  // namespace transformer::formats

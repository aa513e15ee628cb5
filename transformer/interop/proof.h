// Whether an export is the same model: it is loaded back and compared before anybody may use it.
#pragma once

#include <torch/types.h>

#include <functional>
#include <string>
#include <vector>

#include "transformer/decode/hypothesis.h"
#include "transformer/decode/options.h"
#include "transformer/models/encoder_decoder.h"

namespace transformer::interop {

/// What an export must be able to do. Ids are the model's own; rows end in kEnd and are padded with kPad.
struct Candidate {
  /// source: (B, S), target: (B, T), which starts with kBegin → logits of the tokens that follow (B, T, V)
  std::function<torch::Tensor(const torch::Tensor& source, const torch::Tensor& target)> logits;
  /// The best hypothesis of each sentence. source: (B, S)
  std::function<std::vector<decode::Hypothesis>(const torch::Tensor& source,
                                                const decode::DecodeOptions& options)>
      search;
};

/// A model of ours as a candidate: what was read back from a format that holds weights.
Candidate candidate_of(models::EncoderDecoder model);

/// Sentences to compare on: ids without the end token.
struct Sample {
  std::string origin;  ///< for the reader of the proof
  std::vector<std::vector<std::int32_t>> sentences;
};

/// Results of one search on all sentences.
struct SearchProof {
  std::string name;
  std::size_t equal = 0;  ///< sentences with the same tokens and score
  std::size_t ties = 0;   ///< others, where rounding decided: see prove()
};

struct Proof {
  std::string origin;
  std::size_t sentences = 0;
  double logit_difference = 0.0;  ///< the largest, over all positions and the whole vocabulary
  double tolerance = 0.0;
  std::vector<SearchProof> searches;

  /// How many sentences of a search must be equal or ties: 99 of 100, all of fewer.
  std::size_t enough() const { return sentences - sentences / 100; }
  bool holds() const;
  /// A small table, a line for each comparison.
  std::string table() const;
};

/// Compares logits along the native greedy output, greedy search, and beam search as options say.
///
/// Logits that differ by `tolerance` at most may decide a search otherwise. A greedy output is a tie if the
/// native logits of the two tokens where it first differs are as close as that; an output of beam search, if
/// the native model gives both outputs the same score. (A hypothesis that was dropped early for as little is
/// not recognised, so one sentence of a hundred may differ.)
Proof prove(models::EncoderDecoder& native, const Candidate& candidate, const Sample& sample,
            const decode::DecodeOptions& options, double tolerance);

}  // namespace transformer::interop

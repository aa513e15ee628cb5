// What greedy and beam search share: the length penalty, the length limit, the next token's probabilities.
#pragma once

#include <c10/core/GradMode.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "transformer/decode/options.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/nn/evaluation_mode.h"

namespace transformer::decode {

/// What a log-probability is divided by: ((5 + |Y|) / 6)^alpha, or |Y|^alpha. `length` is |Y|, the number of
/// output tokens with the end token, as in tensor2tensor (the paper's own program), fairseq and Marian.
/// CTranslate2 leaves the end token out.
double length_penalty(const DecodeOptions& options, std::int64_t length);

/// The highest score that an open hypothesis of `length` tokens can still reach: its log-probability can only
/// fall, and the penalty is most favourable at the shortest or at the longest output (`limit` tokens), each
/// with its end token.
double best_possible_score(const DecodeOptions& options, double log_probability, std::int64_t length,
                           std::int64_t limit);

/// Section 6.1. The most tokens that a sentence's output may have, without the end token: the source's
/// tokens, without its end, + options.length_offset; with learned positions at most max_positions - 1,
/// because the begin token takes one.
std::int64_t length_limit(const models::ModelOptions& model, std::int64_t source_tokens,
                          const DecodeOptions& options);

/// The same for each row of source: (B, S) on the CPU, ids that are padded behind kEnd.
std::vector<std::int64_t> length_limits(const models::EncoderDecoder& model, const torch::Tensor& source,
                                        const DecodeOptions& options);

/// Logits (R, V) of any precision → log-probabilities (R, V) in fp32, over the whole vocabulary. Then kPad
/// and kBegin, which are never produced, become -inf; so does all but kEnd in the rows where `must_end` is
/// true. must_end: empty, or R values.
torch::Tensor next_log_probabilities(const torch::Tensor& logits, const std::vector<bool>& must_end);

/// While it lives, no gradients are recorded and the model is in evaluation mode. Afterwards the model trains
/// again if it did before.
class SearchMode {
 public:
  explicit SearchMode(models::EncoderDecoder& model) : model_(model), mode_(*model_) {}

 private:
  c10::NoGradGuard no_grad_;
  models::EncoderDecoder model_;  // kept alive
  nn::EvaluationMode mode_;
};

}  // namespace transformer::decode

// The modules' part in a search: the next token's probabilities, in evaluation mode.
#pragma once

#include <c10/core/GradMode.h>
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transformer/models/model.h"
#include "transformer/nn/evaluation_mode.h"
#include "transformer/ops/working_weights.h"
#include "transformer/search/lengths.h"

namespace transformer::translation {

/// search::length_limit for each row of source: (B, S) on the CPU, ids that are padded behind kEos.
std::vector<std::int64_t> length_limits(const models::Model& model, const torch::Tensor& source,
                                        const search::DecodeOptions& options);

/// Logits (R, V) of any precision → log-probabilities (R, V) in fp32, over the whole vocabulary. Then kPad
/// and kBos, which are never produced, become -inf; so does all but token only[r] in row r, unless that is
/// search::kAnyToken. only: empty, or R values.
torch::Tensor next_log_probabilities(const torch::Tensor& logits, std::span<const std::int32_t> only);
/// The same on the device of the logits. must_end: (R) boolean, or undefined; where true, kEos is the only
/// token.
torch::Tensor next_log_probabilities_on_device(const torch::Tensor& logits, const torch::Tensor& must_end);

/// While it lives, no gradients are recorded, the model is in evaluation mode, and weights in another type
/// than that of the products are converted once. Afterwards the model trains again if it did before.
class SearchMode {
 public:
  explicit SearchMode(models::AnyModel model) : model_(std::move(model)), mode_(*model_) {}

 private:
  c10::NoGradGuard no_grad_;
  models::AnyModel model_;  // kept alive
  nn::EvaluationMode mode_;
  ops::WorkingWeights weights_;
  ops::WorkingWeights::Use use_{weights_};
};

}  // namespace transformer::translation

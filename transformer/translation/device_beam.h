// What a beam search decides without its host: which hypotheses are open next, by the rules of
// search/beam_search.h, in tensors on any device; and the log of it, from which the host repeats the search.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "transformer/search/options.h"

namespace transformer::translation {

/// One step of B sentences with W places for hypotheses each, of which k continuations are looked at.
struct LoggedStep {
  torch::Tensor log_probabilities;  ///< (B, W, k) fp32, of each place's continuations, best first
  torch::Tensor continuations;      ///< (B, W, k), their tokens

  // Of the hypotheses that are open afterwards, best first among a sentence's:
  torch::Tensor tokens;   ///< (B, W), the last of each
  torch::Tensor parents;  ///< (B, W), the place of what each continues
  torch::Tensor costs;    ///< (B, W) fp32, minus its log-probability; NaN: no hypothesis is in this place
};

/// Some steps, in one tensor, so that one copy brings them to the host.
class StepLog {
 public:
  StepLog(std::int64_t steps, std::int64_t sentences, std::int64_t width, std::int64_t continuations,
          const torch::Device& device);

  std::int64_t steps() const { return data_.size(0); }
  /// Parts of the log, to be read or written.
  LoggedStep at(std::int64_t step) const;
  /// Waits for the device.
  StepLog to_host() const;

 private:
  torch::Tensor data_;  // (steps, words) int64
  std::int64_t sentences_, width_, continuations_;
};

/// The costs before the first step: one hypothesis a sentence, in its first place. (B, W)
torch::Tensor first_costs(std::int64_t sentences, std::int64_t width, const torch::Device& device);

/// Whether what ends takes the place of what would have gone on. Otherwise it is set aside, and W others go
/// on.
bool ends_take_places(const search::DecodeOptions& options);

/// Fills tokens, parents and costs of a step from its continuations and the costs of what these continue. As
/// the host does, it adds in fp32, takes NaN for the lowest log-probability, and prefers, of equal
/// candidates, the better hypothesis' and then the lower token.
void choose_open(const torch::Tensor& costs, bool ends_take_places, const LoggedStep& step);

}  // namespace transformer::translation

// Decisions of a beam search in tensors on any device, without the host: which hypotheses are open next, by
// the rules of search/beam_search.h. A log of them lets the host repeat the search.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "transformer/search/options.h"

namespace transformer::translation {

/// One step of B sentences, with W places for hypotheses each and k continuations per place.
struct LoggedStep {
  torch::Tensor log_probabilities;  ///< (B, W, k) fp32, continuations of each place, best first
  torch::Tensor continuations;      ///< (B, W, k), the tokens of these

  // The hypotheses that are open afterwards, a sentence's best first:
  torch::Tensor tokens;   ///< (B, W), the last token
  torch::Tensor parents;  ///< (B, W), the place of the continued hypothesis
  torch::Tensor costs;    ///< (B, W) fp32, minus the log-probability; NaN: this place is free
};

/// Some steps in one tensor, which one copy brings to the host.
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

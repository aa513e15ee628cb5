// What a beam search remembers on a device, and its steps there.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "transformer/models/encoder_decoder.h"
#include "transformer/translation/device_beam.h"

namespace transformer::translation {

/// Of B sentences with W places for hypotheses each.
struct DeviceState {
  nn::BeamCache cache;
  torch::Tensor limits;  ///< (B), the most tokens of a sentence's output
  torch::Tensor tokens;  ///< (B, W), the last of each hypothesis
  torch::Tensor costs;   ///< (B, W) fp32, minus the log-probability; NaN: this place is free

  /// Keeps the given sentences, in other memory. From number `own` on they only fill up the batch. rows: (R)
  void select_sentences(const torch::Tensor& rows, std::int64_t own);
  /// All that one search or one step has other numbers in than the next.
  std::vector<torch::Tensor> contents() const;
  /// The parts of it: the layers', and all others but what hides the source's padding.
  std::vector<torch::Tensor*> keys_and_values();
  std::vector<torch::Tensor*> others();
};

/// What some steps do besides what the state says.
struct StepsAhead {
  std::int64_t steps = 0;
  std::int64_t continuations = 0;  ///< of each place
  bool ends_take_places = false;   ///< (device_beam.h)
  bool some_must_end = false;      ///< a sentence reaches its limit within them

  bool operator<(const StepsAhead& other) const { return numbers() < other.numbers(); }

 private:
  std::tuple<std::int64_t, std::int64_t, bool, bool> numbers() const {
    return {steps, continuations, ends_take_places, some_must_end};
  }
};

StepLog empty_log(const DeviceState& state, const StepsAhead& asked);

/// Does the steps, for which there is room in the cache, and logs them. The state stays in its memory, and
/// nothing is copied from the host or to it.
void do_steps(models::EncoderDecoder& model, DeviceState& state, const StepsAhead& asked, const StepLog& log);
/// The same. → their log, on the host
StepLog do_steps(models::EncoderDecoder& model, DeviceState& state, const StepsAhead& asked);

}  // namespace transformer::translation

// What is chosen for speed on a device. Results depend on it by rounding alone. transformer-bench turns each
// choice off to measure what it is worth; nothing else changes them.
#pragma once

#include <cstdint>

namespace transformer::runtime {

struct DeviceChoices {
  /// Batches are filled up to numbers of tokens that recur (data/filler.h).
  bool recurring_shapes = true;
  /// Attention over sentences of at most so many positions on average goes through the memory-efficient
  /// kernel, as FlashAttention takes 128 positions of a sentence at a time and the other one 64
  /// (docs/evidence/gpu.md).
  std::int64_t short_attention = 96;
  /// Own kernels compute where there are some (gpu/kernel.h).
  bool own_kernels = true;
  /// Updates are graphs where they can be (train/update_graphs.h).
  bool graphs = true;
};

/// The process's. To be changed before the first computation.
inline DeviceChoices& device_choices() {
  static DeviceChoices choices;
  return choices;
}

}  // namespace transformer::runtime

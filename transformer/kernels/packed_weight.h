// The weights of a linear layer in the order in which a product on a CPU reads them.
#pragma once

#include <cstdint>

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/buffer.h"

namespace transformer::kernels {

/// Output channels that a product computes together, and the unit to which rows of activations are padded.
inline constexpr std::int64_t kPanel = 64;

inline constexpr std::int64_t padded(std::int64_t width) {
  return (width + kPanel - 1) / kPanel * kPanel;
}

/// Inputs that one multiplication takes of each row: 4 bytes of them.
template <typename T>
inline constexpr std::int64_t kGroup = 4 / static_cast<std::int64_t>(sizeof(T));

/// A weight matrix W of `outputs` x `inputs` in panels of kPanel output channels. A panel holds its channels'
/// first kGroup inputs, channel by channel, then their next ones.
/// Zeros fill whole panels and groups, and but for float whole 64 bytes of a channel's inputs. T is float,
/// Bf16 (rounded) or std::int8_t: each channel's weights are then multiples of its scale, -127 … 127 of it.
template <typename T>
struct PackedWeight {
  std::int64_t outputs = 0;
  std::int64_t inputs = 0;
  std::int64_t panels = 0;
  std::int64_t groups = 0;
  Buffer<T> values;                   ///< (panels, groups, kPanel, kGroup<T>)
  Buffer<float> bias;                 ///< (panels · kPanel), zeros where the layer has none
  Buffer<float> scale;                ///< (panels · kPanel); int8 only
  Buffer<std::int32_t> compensation;  ///< (panels · kPanel) 128 x the sum of a channel's values; int8 only
};

/// weight: (outputs, inputs), one row after another; bias: (outputs) or null.
template <typename T>
PackedWeight<T> pack(const float* weight, const float* bias, std::int64_t outputs, std::int64_t inputs);

extern template PackedWeight<float> pack(const float*, const float*, std::int64_t, std::int64_t);
extern template PackedWeight<Bf16> pack(const float*, const float*, std::int64_t, std::int64_t);
extern template PackedWeight<std::int8_t> pack(const float*, const float*, std::int64_t, std::int64_t);

}  // namespace transformer::kernels

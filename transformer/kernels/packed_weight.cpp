#include "transformer/kernels/packed_weight.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace transformer::kernels {
namespace {

/// Rounds to nearest, ties to even.
Bf16 to_bf16(float x) {
  std::uint32_t word = 0;
  std::memcpy(&word, &x, sizeof word);
  if (x != x) return {0x7fc0};
  return {static_cast<std::uint16_t>((word + 0x7fff + ((word >> 16) & 1)) >> 16)};
}

template <typename T>
T convert(float x, float inverse_scale) {
  if constexpr (std::is_same_v<T, float>)
    return x;
  else if constexpr (std::is_same_v<T, Bf16>)
    return to_bf16(x);
  else if (inverse_scale == 0)
    return 0;
  else
    return static_cast<std::int8_t>(std::clamp(std::nearbyint(x * inverse_scale), -127.0F, 127.0F));
}

/// NaN if a number is not finite.
float largest_magnitude(const float* row, std::int64_t n) {
  float most = 0, poison = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    most = std::max(most, std::abs(row[i]));
    poison += row[i] * 0.0F;
  }
  return most + poison;
}

/// Groups that a CPU's unit for matrices takes together (tiles.h).
template <typename T>
constexpr std::int64_t kTogether = std::is_same_v<T, float> ? 1 : 16;

}  // namespace

template <typename T>
PackedWeight<T> pack(const float* weight, const float* bias, std::int64_t outputs, std::int64_t inputs) {
  constexpr auto kInts = std::is_same_v<T, std::int8_t>;
  constexpr auto kInputs = kTogether<T> * kGroup<T>;
  const auto channels = padded(outputs), groups = (inputs + kInputs - 1) / kInputs * kTogether<T>;
  PackedWeight<T> packed{outputs,
                         inputs,
                         channels / kPanel,
                         groups,
                         Buffer<T>(channels * groups * kGroup<T>),
                         Buffer<float>(channels),
                         {},
                         {}};
  std::fill_n(packed.values.data(), packed.values.size(), T{});
  std::fill_n(packed.bias.data(), channels, 0.0F);
  if (bias != nullptr) std::copy_n(bias, outputs, packed.bias.data());
  if (kInts) {
    packed.scale.resize(channels);
    packed.compensation.resize(channels);
    std::fill_n(packed.scale.data(), channels, 0.0F);
    std::fill_n(packed.compensation.data(), channels, 0);
  }
  for (std::int64_t channel = 0; channel < outputs; ++channel) {
    const float* row = weight + channel * inputs;
    const float most = kInts ? largest_magnitude(row, inputs) : 0.0F;
    const float inverse = most > 0 ? 127.0F / most : 0.0F;
    T* to = packed.values.data() + (channel / kPanel * groups * kPanel + channel % kPanel) * kGroup<T>;
    std::int32_t total = 0;
    for (std::int64_t i = 0; i < inputs; ++i) {
      const T value = convert<T>(row[i], inverse);
      to[i / kGroup<T> * kPanel * kGroup<T> + i % kGroup<T>] = value;
      if constexpr (kInts) total += value;
    }
    if (kInts) {
      packed.scale[channel] = most / 127.0F;
      packed.compensation[channel] = 128 * total;
    }
  }
  return packed;
}

template PackedWeight<float> pack(const float*, const float*, std::int64_t, std::int64_t);
template PackedWeight<Bf16> pack(const float*, const float*, std::int64_t, std::int64_t);
template PackedWeight<std::int8_t> pack(const float*, const float*, std::int64_t, std::int64_t);

}  // namespace transformer::kernels

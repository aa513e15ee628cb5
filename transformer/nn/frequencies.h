// The frequencies of sinusoids (section 3.5) and of rotary positions. Free of LibTorch: the modules and the
// engine for CPUs compute their angles from these.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "transformer/nn/types.h"

namespace transformer::nn {

/// base^(-i / denominator): position p has the angle p times that. Double, as at position 5000 a float angle
/// is already wrong in the fourth decimal.
inline double frequency(std::int64_t i, double denominator, double base = 10000) {
  return std::exp(static_cast<double>(i) / denominator * -std::log(base));
}

/// The denominator for sinusoids of d_model numbers: d_model / 2 frequencies, a sine and a cosine each.
inline double sinusoid_denominator(const Sinusoids& sinusoids, std::int64_t d_model) {
  const auto last = d_model / 2 - (sinusoids.reach_the_end ? 1 : 0);
  return static_cast<double>(std::max(last, std::int64_t{1}));
}

}  // namespace transformer::nn

// The frequencies of sinusoids (section 3.5) and of rotary positions. Free of LibTorch: the modules and the
// engine for CPUs compute their angles from these.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "transformer/nn/types.h"

namespace transformer::nn {

/// 10000^(-i / denominator): position p has the angle p times that. Double, as at position 5000 a float angle
/// is already wrong in the fourth decimal.
inline double frequency(std::int64_t i, double denominator) {
  return std::exp(static_cast<double>(i) / denominator * -std::log(10000.0));
}

/// How sinusoids of d_model numbers are laid out: of d_model / 2 frequencies, a sine and a cosine each.
struct SinusoidLayout {
  double denominator = 1;
  bool interleaved = true;  ///< sine, cosine, sine, …; else all sines, then all cosines
};

/// Throws std::logic_error for positions that are no sinusoids.
inline SinusoidLayout sinusoid_layout(Positions positions, std::int64_t d_model) {
  const auto half = d_model / 2;
  switch (positions) {
    case Positions::interleaved:
      return {static_cast<double>(half), true};
    case Positions::halves:
      return {static_cast<double>(half), false};
    case Positions::tensor2tensor:
      return {static_cast<double>(std::max(half - 1, std::int64_t{1})), false};
    case Positions::learned:
    case Positions::rotary:
    case Positions::bias:
      break;
  }
  throw std::logic_error("positions that are no sinusoids");
}

}  // namespace transformer::nn

// Section 5.4: which elements dropout sets to zero.
#pragma once

#include <algorithm>
#include <cstdint>

namespace transformer::kernels {

/// Element i of a row is kept, and multiplied by `scale`, if a hash of the row's seed and i is at least
/// `dropped`. A row's mask depends on nothing else: not on the other rows, nor on its place among them.
struct DropoutMask {
  const std::uint64_t* seeds = nullptr;  ///< (rows)
  std::uint32_t dropped = 0;             ///< probability × 2^32; 0 keeps everything
  float scale = 1.0F;

  static DropoutMask with_probability(double p, const std::uint64_t* seeds) {
    return {seeds, static_cast<std::uint32_t>(std::min(p * 4294967296.0, 4294967295.0)),
            static_cast<float>(1.0 / (1.0 - p))};
  }
};

}  // namespace transformer::kernels

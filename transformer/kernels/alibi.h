// ALiBi (Press et al. 2022, section 3): scores fall with the distance between query and key.
#pragma once

#include <cmath>
#include <cstdint>

namespace transformer::kernels {

/// The decrease of a head's score per position between query and key, for head 0 … heads - 1. It is the
/// paper's geometric sequence for any number of heads: it begins at 2^(-8 / heads) and has that as its ratio.
/// The authors' program interpolates between two sequences if the number of heads is not a power of two.
inline double alibi_slope(std::int64_t head, std::int64_t heads) {
  return std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

}  // namespace transformer::kernels

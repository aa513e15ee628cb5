// ALiBi (Press et al. 2022, section 3): scores fall with the distance between query and key.
#pragma once

#include <cmath>
#include <cstdint>

namespace transformer::kernels {

/// How much the score of head 0 … heads - 1 falls with each position between query and key: the geometric
/// sequence of the paper, which begins at 2^(-8 / heads) and has that as its ratio, for any number of heads.
/// (Its authors' program interpolates between two sequences where the heads are no power of two.)
inline double alibi_slope(std::int64_t head, std::int64_t heads) {
  return std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

}  // namespace transformer::kernels

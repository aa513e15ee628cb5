// The angles of sinusoids (section 3.5) and of rotary positions.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// position · frequency(i, denominator, base) for i = 0 … count - 1. positions: (T), any type → (T, count),
/// double
torch::Tensor angles_at(const torch::Tensor& positions, std::int64_t count, double denominator,
                        double base = 10000);

}  // namespace transformer::ops

// Rotary positions (RoFormer, Su et al. 2021, section 3.2): queries and keys are turned by angles that grow
// with the position, so that their products depend on the distance alone.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Cosines and sines for positions, (T) → (2, T, d_k), fp32. The pair of neighbours 2i and 2i + 1 has the
/// angle position · base^(-2i / d_k).
torch::Tensor rotation_at(const torch::Tensor& positions, std::int64_t d_k, double base = 10000);

/// Rotates the first `heads` heads of each position; the rest stays. x: (…, T, C), rotation: (2, T or 1, d_k)
/// → (…, T, C). Packed x: (N, C) needs a rotation for each row. It takes one pass over memory if there are
/// kernels for it. `reference_rotate` spells the formula out.
torch::Tensor rotate(const torch::Tensor& x, const torch::Tensor& rotation, std::int64_t heads);
torch::Tensor reference_rotate(const torch::Tensor& x, const torch::Tensor& rotation, std::int64_t heads);

}  // namespace transformer::ops

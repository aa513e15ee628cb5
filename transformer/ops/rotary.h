// Rotary positions (RoFormer, Su et al. 2021, section 3.2): queries and keys are turned by angles that grow
// with the position, so that their products depend on the distance alone.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Cosines and sines of any positions, (T) → (2, T, d_k), fp32: for each pair of neighbours 2i and 2i + 1
///     cos θᵢ, cos θᵢ   and   -sin θᵢ, sin θᵢ,   θᵢ = position · 10000^(-2i / d_k).
torch::Tensor rotation_at(const torch::Tensor& positions, std::int64_t d_k);

/// Turns the first `heads` heads of each position; what stands behind them stays. x: (…, T, C), rotation:
/// (2, T or 1, d_k) → (…, T, C); packed (N, C) has a rotation of each row. In one pass over memory where
/// there are kernels for it; `reference_rotate` spells it out.
torch::Tensor rotate(const torch::Tensor& x, const torch::Tensor& rotation, std::int64_t heads);
torch::Tensor reference_rotate(const torch::Tensor& x, const torch::Tensor& rotation, std::int64_t heads);

}  // namespace transformer::ops

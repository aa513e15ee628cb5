// Section 5.4: residual dropout.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Sets each element to zero with probability p and scales the others by 1 / (1 - p); the identity unless
/// training. Any shape. On the CPU a hash of a seed and the element's number decides (kernels/random_mask.h),
/// at a twentieth of what ATen's Bernoulli sampling costs; the seed is drawn from the CPU's default
/// generator. Call it qualified, as ops::dropout: argument-dependent lookup finds at::dropout too.
torch::Tensor dropout(const torch::Tensor& x, double p, bool training);

}  // namespace transformer::ops

// Section 5.4: residual dropout.
#pragma once

#include <torch/types.h>

namespace transformer::nn {

/// Sets each element to zero with probability p and scales the others by 1 / (1 - p); the identity unless
/// training. Any shape. On the CPU the probability is a multiple of 2^-16, because 16 random bits decide
/// an element: drawing them costs a tenth of what ATen's Bernoulli sampling costs.
/// Call it qualified, as nn::dropout: argument-dependent lookup finds at::dropout too.
torch::Tensor dropout(const torch::Tensor& x, double p, bool training);

}  // namespace transformer::nn

// Section 3.3: both layers of a feed-forward network in one.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// max(0, x W_1ᵀ + b_1) W_2ᵀ + b_2, equation 2, without tensors that only an activation or a bias would need.
/// x: (…, D) of a type that has functions (cpu_kernels.h), not empty; the weights (F, D), (D, F) and biases
/// in fp32, and so are their gradients. → (…, D)
torch::Tensor feed_forward(const torch::Tensor& x, const torch::Tensor& inner,
                           const torch::Tensor& inner_bias, const torch::Tensor& outer,
                           const torch::Tensor& outer_bias);

}  // namespace transformer::ops

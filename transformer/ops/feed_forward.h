// Section 3.3: both layers of a feed-forward network in one.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// max(0, x W_1ᵀ + b_1) W_2ᵀ + b_2, equation 2, without separate tensors for the activation and the biases.
///
/// x: (…, D), not empty, of a type that has functions (cpu_kernels.h) → (…, D). The weights (F, D), (D, F)
/// and the biases are fp32, and so are their gradients.
torch::Tensor feed_forward(const torch::Tensor& x, const torch::Tensor& inner,
                           const torch::Tensor& inner_bias, const torch::Tensor& outer,
                           const torch::Tensor& outer_bias);

}  // namespace transformer::ops

// Biases, and ReLU with them, added where a product left its result.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// x (R, width) of a type that has kernels, in place: x + bias, or max(0, x + bias). bias: fp32.
void add_bias(const torch::Tensor& x, const torch::Tensor& bias, bool relu);

/// The gradient of such a bias, fp32. gradient: (R, width) with respect to the result. If `output`, ReLU's,
/// is defined, `gradient` becomes in place the gradient with respect to the sum.
torch::Tensor bias_gradient(const torch::Tensor& gradient, const torch::Tensor& output = {});

}  // namespace transformer::ops

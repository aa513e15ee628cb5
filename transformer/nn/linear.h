// Linear maps, in the type of what they are applied to.
#pragma once

#include <torch/types.h>

namespace transformer::nn {

/// x Wᵀ + b. x: (…, I), weight: (O, I), bias: (O) or undefined. → (…, O) in the type of x.
/// On the CPU weights of another type are converted to that of x, and their gradients back.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias = {});

/// The maps of several matrices (O_i, I) as one product: their results one after another, (…, Σ O_i). Either
/// all biases are defined or none.
torch::Tensor joint_linear(const torch::Tensor& x, at::TensorList weights, at::TensorList biases);

}  // namespace transformer::nn

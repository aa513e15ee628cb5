// Linear maps, in the type of what they are applied to.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// x Wᵀ + b. x: (…, I), weight: (O, I), bias: (O) or undefined. → (…, O) in the type of x.
/// Weights of another type are converted to that of x (working_weights.h), and their gradients back.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias = {});

/// The maps of several matrices (O_i, I) as one product: their results one after another, (…, Σ O_i). Either
/// all biases are defined or none.
torch::Tensor joint_linear(const torch::Tensor& x, at::TensorList weights, at::TensorList biases);

// For autograd functions with a linear map among their steps. Rows are (R, …) of a type that has functions
// (cpu_kernels.h). Weights (O, I) have the same type. Biases are as working_bias gives them. The gradients of
// weights and biases are fp32.

/// Biases (O_i) as one: in fp32 for the kernels of CPUs, in the type of x for LibTorch's operations.
torch::Tensor working_bias(at::TensorList biases, const torch::Tensor& x);

/// x Wᵀ + b, or max(0, x Wᵀ + b). bias: undefined where there is none and no ReLU. → (R, O)
torch::Tensor linear_rows(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          bool relu = false);

/// Undefined where they were not asked for.
struct LinearGradients {
  torch::Tensor x, weight, bias;
};
struct LinearBackward {
  bool x = true;
  bool bias = true;
  torch::Tensor relu_output =
      {};  ///< what linear_rows gave where it ended in ReLU: the gradient may be changed in place
};
/// gradient: (R, O), of the loss with respect to linear_rows(x, weight, …).
LinearGradients linear_gradients(const torch::Tensor& gradient, const torch::Tensor& x,
                                 const torch::Tensor& weight, const LinearBackward& asked);

}  // namespace transformer::ops

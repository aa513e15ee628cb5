// Sections 3.1 and 5.4: residual connection, dropout and layer normalisation in one.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// LayerNorm(x + Dropout(z)), in one pass over memory if there are kernels for it. x, z: (…, D) of one type.
/// weight, bias: (D). dropout: a probability.
torch::Tensor residual_norm(const torch::Tensor& x, const torch::Tensor& z, const torch::Tensor& weight,
                            const torch::Tensor& bias, double epsilon, double dropout);

/// The same by its definition.
torch::Tensor reference_residual_norm(const torch::Tensor& x, const torch::Tensor& z,
                                      const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                                      double dropout);

}  // namespace transformer::ops

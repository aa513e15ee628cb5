// Sections 3.1 and 5.4: residual connection, dropout and layer normalisation in one.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// LayerNorm(x + Dropout(z)) with the given weight and bias, (D). x, z: (…, D) of one type; dropout: a
/// probability. In one pass over memory where there are kernels for it.
torch::Tensor residual_norm(const torch::Tensor& x, const torch::Tensor& z, const torch::Tensor& weight,
                            const torch::Tensor& bias, double epsilon, double dropout);

/// The same by its definition.
torch::Tensor reference_residual_norm(const torch::Tensor& x, const torch::Tensor& z,
                                      const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                                      double dropout);

}  // namespace transformer::ops

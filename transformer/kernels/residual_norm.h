// LayerNorm(x + Dropout(z)), sections 3.1 and 5.4, in one pass over memory, and its gradients in another.
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/dropout_mask.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Rows begin … end - 1 of matrices of `width` columns, one row after another. T is float or Bf16;
/// statistics, sums and weights are float.
template <typename T>
struct ResidualNorm {
  std::int64_t begin = 0, end = 0, width = 0;
  float epsilon = 1e-5F;
  DropoutMask mask;
  const float* weight = nullptr;  ///< (width)
  const float* bias = nullptr;    ///< (width)
  const T* x = nullptr;
  const T* z = nullptr;
  T* sum = nullptr;          ///< out: x + Dropout(z), for the backward pass
  float* mean = nullptr;     ///< out: (rows) of the sum
  float* inverse = nullptr;  ///< out: (rows) 1 / standard deviation
  T* y = nullptr;            ///< out
};

template <typename T>
struct ResidualNormBackward {
  std::int64_t begin = 0, end = 0, width = 0;
  DropoutMask mask;
  const float* weight = nullptr;
  const T* sum = nullptr;
  const float* mean = nullptr;
  const float* inverse = nullptr;
  const T* y_gradient = nullptr;
  T* x_gradient = nullptr;           ///< out
  T* z_gradient = nullptr;           ///< out; may be x_gradient where nothing is dropped
  float* weight_gradient = nullptr;  ///< (width), added to
  float* bias_gradient = nullptr;    ///< (width), added to
};

struct ResidualNormKernels {
  void (*forward)(const ResidualNorm<float>&);
  void (*forward_bf16)(const ResidualNorm<Bf16>&);
  void (*backward)(const ResidualNormBackward<float>&);
  void (*backward_bf16)(const ResidualNormBackward<Bf16>&);
};
TRANSFORMER_KERNELS(ResidualNormKernels, residual_norm)

}  // namespace transformer::kernels

// LayerNorm(x + Dropout(z)), sections 3.1 and 5.4, in one pass over memory, and its gradients in another: of
// the modules, which train, and of the engine. Without a mean and a bias it is RMS normalisation (Zhang and
// Sennrich 2019).
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/dropout_mask.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Rows begin … end - 1 of matrices of `width` columns. T is float or Bf16; the addition, statistics and
/// weights are float.
template <typename T>
struct ResidualNorm {
  std::int64_t begin = 0, end = 0, width = 0;
  std::int64_t stride = 0;  ///< from a row to the next, in all matrices; at least width
  float epsilon = 1e-5F;
  bool centred = true;            ///< the mean is subtracted; false: the mean is taken to be 0
  DropoutMask mask = {};          ///< of z
  const float* weight = nullptr;  ///< (width)
  const float* bias = nullptr;    ///< (width); null: none
  const T* x = nullptr;
  const T* z = nullptr;      ///< null: nothing is added to x
  T* sum = nullptr;          ///< out, unless null: x + Dropout(z) for the backward pass; may be x
  float* mean = nullptr;     ///< out, unless null: (rows), mean of the sum
  float* inverse = nullptr;  ///< out, unless null: (rows), 1 / standard deviation of the sum
  T* y = nullptr;            ///< out: 0 between width and stride; may be x or z
};

/// Rows that stand one after another, without gaps.
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

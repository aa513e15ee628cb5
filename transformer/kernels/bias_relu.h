// Section 3.3: the bias and ReLU between the feed-forward layer's two products.
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Rows begin … end - 1 of x (rows, width), in place: max(0, x + bias), or x + bias without `relu`.
template <typename T>
struct BiasRelu {
  std::int64_t begin = 0, end = 0, width = 0;
  const float* bias = nullptr;  ///< (width)
  bool relu = true;
  T* x = nullptr;
};

/// Rows begin … end - 1 of `gradient` (rows, width): 0 where the output was 0, if there is an output; and
/// their sum over the rows is added to bias_gradient.
template <typename T>
struct BiasReluBackward {
  std::int64_t begin = 0, end = 0, width = 0;
  const T* output = nullptr;  ///< of ReLU; null: there was none, and the gradient stays
  T* gradient = nullptr;
  float* bias_gradient = nullptr;  ///< (width)
};

struct BiasReluKernels {
  void (*forward)(const BiasRelu<float>&);
  void (*forward_bf16)(const BiasRelu<Bf16>&);
  void (*backward)(const BiasReluBackward<float>&);
  void (*backward_bf16)(const BiasReluBackward<Bf16>&);
};
TRANSFORMER_KERNELS(BiasReluKernels, bias_relu)

}  // namespace transformer::kernels

// Section 5.4: dropout by itself, where there is nothing to join it with.
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/dropout_mask.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Rows begin … end - 1 of `width` elements, one row after another: y = x · mask. The gradient is the same
/// function of the gradient.
template <typename T>
struct Dropout {
  std::int64_t begin = 0, end = 0, width = 0;
  DropoutMask mask;
  const T* x = nullptr;
  T* y = nullptr;  ///< out; may be x
};

struct DropoutKernels {
  void (*run)(const Dropout<float>&);
  void (*run_bf16)(const Dropout<Bf16>&);
};
TRANSFORMER_KERNELS(DropoutKernels, dropout)

}  // namespace transformer::kernels

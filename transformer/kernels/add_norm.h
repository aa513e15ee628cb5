// Residual connection and layer normalisation of inference (section 3.1).
#pragma once

#include <cstdint>

#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// y = LayerNorm(x + z), a row at a time. Rows are `stride` floats apart, a multiple of kPanel, and zero
/// beyond `width`, as are weight and bias; y is so, too.
struct AddNorm {
  std::int64_t rows = 0, width = 0, stride = 0;
  float epsilon = 1e-5F;
  const float* weight = nullptr;
  const float* bias = nullptr;
  const float* x = nullptr;
  const float* z = nullptr;  ///< null: nothing is added
  float* sum = nullptr;      ///< out: x + z, unless null; may be x
  float* y = nullptr;        ///< out: may be x or z
};

struct AddNormKernels {
  void (*add_norm)(const AddNorm&);
};
TRANSFORMER_KERNELS(AddNormKernels, add_norm)

}  // namespace transformer::kernels

// y = f(x Wᵀ + b) for inference, on weights that were packed once (packed_weight.h).
//
// Each element of y is a sum over the inputs in one fixed order, so a row's result does not depend on the
// rows that are computed with it. In bf16 both factors are rounded to bf16 and sums are float; the order is
// another one where the CPU has a unit for matrices. In int8 each
// row of x is rounded to multiples of a scale of its own, its largest magnitude / 127.
#pragma once

#include <optional>

#include "transformer/kernels/isa.h"
#include "transformer/kernels/packed_weight.h"
#include "transformer/nn/types.h"

namespace transformer::kernels {

/// The type in which a product reads x: float, bf16, or, for int8 weights, the value + 128.
template <typename T>
struct InputOf {
  using Type = T;
};
template <>
struct InputOf<std::int8_t> {
  using Type = std::uint8_t;
};
template <typename T>
using Input = typename InputOf<T>::Type;

/// A product with the panels first_panel … first_panel + panels - 1 of a weight.
template <typename T>
struct Linear {
  const PackedWeight<T>* weight = nullptr;
  std::int64_t first_panel = 0, panels = 0;
  std::int64_t rows = 0;
  const Input<T>* x = nullptr;  ///< rows of `x_stride`, at least groups · kGroup<T>
  std::int64_t x_stride = 0;
  const float* x_scale = nullptr;  ///< (rows); int8 only
  float* y = nullptr;              ///< out: panels · kPanel columns, in rows of `y_stride`
  std::int64_t y_stride = 0;
  std::optional<nn::Activation> activation = {};  ///< f; without one the identity
};

/// Turns rows of floats into what a product reads. `width` is a multiple of kPanel.
template <typename T>
struct Rounding {
  std::int64_t rows = 0, width = 0;
  const float* x = nullptr;  ///< rows of `width`
  Input<T>* y = nullptr;     ///< out: rows of `width`
  float* scale = nullptr;    ///< out: (rows); int8 only
};

struct LinearKernels {
  void (*product)(const Linear<float>&);
  void (*product_bf16)(const Linear<Bf16>&);
  void (*product_int8)(const Linear<std::int8_t>&);
  void (*round_bf16)(const Rounding<Bf16>&);
  void (*round_int8)(const Rounding<std::int8_t>&);
};
TRANSFORMER_KERNELS_WITH_AMX(LinearKernels, linear)

}  // namespace transformer::kernels

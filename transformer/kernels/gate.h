// Gated feed-forward layers (Shazeer 2020, "GLU variants improve Transformer").
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"
#include "transformer/nn/types.h"

namespace transformer::kernels {

/// y = a(gate) · values, row by row; a is the logistic function, x times that, or gelu_tanh. y may be values.
template <typename T>
struct Gating {
  std::int64_t rows = 0, width = 0;
  nn::Gate kind = nn::Gate::none;  ///< not none
  const T* values = nullptr;
  const T* gate = nullptr;
  std::int64_t stride = 0;  ///< from a row of values, or of gates, to the next
  T* y = nullptr;           ///< (rows, width)
};

/// The gradients of values and gate from that of y.
template <typename T>
struct GatingBackward {
  Gating<T> forward;            ///< less y
  const T* gradient = nullptr;  ///< (rows, width)
  T* values = nullptr;          ///< rows of forward.stride
  T* gate = nullptr;            ///< likewise
};

struct GateKernels {
  void (*forward)(const Gating<float>&);
  void (*forward_bf16)(const Gating<Bf16>&);
  void (*backward)(const GatingBackward<float>&);
  void (*backward_bf16)(const GatingBackward<Bf16>&);
};
TRANSFORMER_KERNELS(GateKernels, gate)

}  // namespace transformer::kernels

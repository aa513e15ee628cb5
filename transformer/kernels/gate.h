// Gated feed-forward layers (Shazeer 2020, "GLU variants improve Transformer").
#pragma once

#include <cstdint>

#include "transformer/kernels/isa.h"
#include "transformer/nn/types.h"

namespace transformer::kernels {

/// values[i] becomes a(gate[i]) · values[i]: a is the logistic function, or x times that.
struct Gating {
  std::int64_t count = 0;
  nn::Gate kind = nn::Gate::none;  ///< not none
  const float* gate = nullptr;
  float* values = nullptr;  ///< in, out
};

struct GateKernels {
  void (*apply)(const Gating&);
};
TRANSFORMER_KERNELS(GateKernels, gate)

}  // namespace transformer::kernels

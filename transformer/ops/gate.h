// Gated feed-forward layers (Shazeer 2020, "GLU variants improve Transformer").
#pragma once

#include <torch/types.h>

#include "transformer/nn/types.h"

namespace transformer::ops {

/// Whether gated() takes this tensor.
bool has_gated(const torch::Tensor& x);

/// a(g) · v, a the function of that kind of gate. both: (…, 2 F), v before g, of which has_gated. → (…, F)
torch::Tensor gated(const torch::Tensor& both, nn::Gate kind);

}  // namespace transformer::ops

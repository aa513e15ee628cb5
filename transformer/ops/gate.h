// Gated feed-forward layers (Shazeer 2020, "GLU variants improve Transformer").
#pragma once

#include <torch/types.h>

#include "transformer/nn/types.h"

namespace transformer::ops {

/// Whether gated() takes this tensor.
bool has_gated(const torch::Tensor& x);

/// a(g) · v, with the function a of that kind of gate. both: (…, 2 F), v before g; has_gated() must hold. →
/// (…, F)
torch::Tensor gated(const torch::Tensor& both, nn::Gate kind);

}  // namespace transformer::ops

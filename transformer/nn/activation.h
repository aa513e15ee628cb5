// The non-linearities of section 3.3.
#pragma once

#include <torch/types.h>

#include "transformer/nn/types.h"

namespace transformer::nn {

/// f(x), element by element. x: any shape → the same
torch::Tensor activated(const torch::Tensor& x, Activation activation);

}  // namespace transformer::nn

// How weights begin. The paper does not say; this follows its reference implementation's spirit.
#pragma once

#include <torch/nn/module.h>

namespace transformer::nn {

/// Embeddings and learned positions: normal with standard deviation d_model^-0.5, so that scaled embeddings
/// have unit variance. Other matrices: Glorot uniform. Biases 0, layer norms 1 and 0.
/// Initialises the modules below `module`. Draws from the default generator of the CPU in the order of
/// named_parameters().
void initialize(torch::nn::Module& module);

}  // namespace transformer::nn

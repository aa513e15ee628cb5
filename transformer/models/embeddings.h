// Section 3.4: the embeddings of both sides and the output projection, which may share matrices (model.tie).
#pragma once

#include "transformer/models/options.h"
#include "transformer/nn/embedding.h"

namespace transformer::models {

struct Embeddings {
  nn::Embedding source{nullptr}, target{nullptr}, output{nullptr};
  torch::Tensor output_bias;  ///< (V), undefined without options.output_bias
};

/// Registers them in the module: a shared matrix once, under the first of its names, so that it is saved
/// once.
Embeddings register_embeddings(torch::nn::Module& module, const ModelOptions& options,
                               const VocabularySizes& vocabulary);

}  // namespace transformer::models

// Section 3.4: embeddings and the pre-softmax linear transformation, which may share one matrix.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace transformer::nn {

/// A (V, D) matrix that turns ids into vectors, scaled by √d_model, and, as the output projection, vectors
/// into logits (unscaled).
class EmbeddingImpl : public torch::nn::Module {
 public:
  EmbeddingImpl(std::int64_t vocabulary, std::int64_t d_model);

  /// ids: (…) → (…, D)
  torch::Tensor forward(const torch::Tensor& ids);
  /// x: (…, D) → logits (…, V). bias: (V) or undefined
  torch::Tensor logits(const torch::Tensor& x, const torch::Tensor& bias = {});

  torch::Tensor weight;  ///< (V, D)
};
TORCH_MODULE(Embedding);

}  // namespace transformer::nn

// Section 3.4: embeddings and the pre-softmax linear transformation, which may share one matrix.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

namespace transformer::nn {

/// A (V, D) matrix that turns ids into vectors, scaled by √d_model unless told otherwise. As the output
/// projection it turns vectors into logits (unscaled).
class EmbeddingImpl : public torch::nn::Module {
 public:
  /// scaled: whether vectors are multiplied by √d_model
  EmbeddingImpl(std::int64_t vocabulary, std::int64_t d_model, bool scaled = true);

  /// ids: (…) → (…, D)
  torch::Tensor forward(const torch::Tensor& ids);
  /// x: (…, D) → logits (…, V). bias: (V) or undefined
  torch::Tensor logits(const torch::Tensor& x, const torch::Tensor& bias = {});

  torch::Tensor weight;  ///< (V, D)

 private:
  bool scaled_;
};
TORCH_MODULE(Embedding);

}  // namespace transformer::nn

#include "transformer/nn/embedding.h"

#include <cmath>

#include "transformer/ops/linear.h"

namespace transformer::nn {

EmbeddingImpl::EmbeddingImpl(std::int64_t vocabulary, std::int64_t d_model, bool scaled) : scaled_(scaled) {
  TORCH_CHECK(vocabulary > 0 && d_model > 0, "embedding: sizes must be positive, found ", vocabulary, " x ",
              d_model);
  weight = register_parameter("weight", torch::empty({vocabulary, d_model}));
}

torch::Tensor EmbeddingImpl::forward(const torch::Tensor& ids) {
  auto vectors = torch::embedding(weight, ids);
  return scaled_ ? vectors * std::sqrt(static_cast<double>(weight.size(1))) : vectors;
}

torch::Tensor EmbeddingImpl::logits(const torch::Tensor& x, const torch::Tensor& bias) {
  return ops::linear(x, weight, bias);
}

}  // namespace transformer::nn

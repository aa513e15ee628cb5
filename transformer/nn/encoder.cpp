#include "transformer/nn/encoder.h"

namespace transformer::nn {

EncoderLayerImpl::EncoderLayerImpl(const StackOptions& options) {
  self_attention = register_module("self_attention", MultiHeadAttention(options.attention));
  self_attention_residual = register_module("self_attention_residual", ResidualNorm(options.residual));
  feed_forward = register_module("feed_forward", FeedForward(options.feed_forward));
  feed_forward_residual = register_module("feed_forward_residual", ResidualNorm(options.residual));
}

torch::Tensor EncoderLayerImpl::forward(const torch::Tensor& input, const torch::Tensor& mask) {
  const auto x = self_attention_residual->forward(
      input, [&](const torch::Tensor& y) { return self_attention(y, y, mask); });
  return feed_forward_residual->forward(x, [&](const torch::Tensor& y) { return feed_forward(y); });
}

EncoderImpl::EncoderImpl(const StackOptions& options) {
  layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < options.layers; ++i) layers->push_back(EncoderLayer(options));
  if (options.residual.norm == NormPlacement::pre)
    norm = register_module("norm", layer_norm(options.residual.d_model, options.residual.norm_epsilon));
}

torch::Tensor EncoderImpl::forward(torch::Tensor x, const torch::Tensor& mask) {
  for (const auto& layer : *layers) x = layer->as<EncoderLayer>()->forward(x, mask);
  return norm ? in_compute_type(norm(x)) : x;
}

}  // namespace transformer::nn

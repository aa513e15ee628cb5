#include "transformer/nn/decoder.h"

namespace transformer::nn {

DecoderLayerImpl::DecoderLayerImpl(const StackOptions& options) {
  self_attention = register_module("self_attention",
                                   MultiHeadAttention(in_role(options.attention, variants::Role::decoder)));
  self_attention_residual = register_module("self_attention_residual", ResidualNorm(options.residual));
  source_attention = register_module("source_attention",
                                     MultiHeadAttention(in_role(options.attention, variants::Role::source)));
  source_attention_residual = register_module("source_attention_residual", ResidualNorm(options.residual));
  feed_forward = register_module("feed_forward", FeedForward(options.feed_forward));
  feed_forward_residual = register_module("feed_forward_residual", ResidualNorm(options.residual));
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& input, const torch::Tensor& memory,
                                        const torch::Tensor& self_mask, const torch::Tensor& source_mask,
                                        const AttentionPositions& positions) {
  auto x = self_attention_residual->forward(
      input, [&](const torch::Tensor& y) { return self_attention(y, y, self_mask, positions); });
  x = source_attention_residual->forward(
      x, [&](const torch::Tensor& y) { return source_attention(y, memory, source_mask); });
  return feed_forward_residual->forward(x, [&](const torch::Tensor& y) { return feed_forward(y); });
}

torch::Tensor DecoderLayerImpl::step(const torch::Tensor& input, LayerCache& cache,
                                     const torch::Tensor& source_mask, const AttentionPositions& positions) {
  auto x = self_attention_residual->forward(input, [&](const torch::Tensor& y) {
    const auto rows = y.flatten(0, 1).unsqueeze(1);  // (B·W, 1, D): each looks at its own past
    cache.self.append(self_attention->keys_and_values(rows, positions));
    return self_attention->attend(rows, cache.self, torch::Tensor(), positions).view_as(y);
  });
  // A sentence's hypotheses are positions of one query, so its source is neither copied nor read twice.
  x = source_attention_residual->forward(
      x, [&](const torch::Tensor& y) { return source_attention->attend(y, cache.source, source_mask); });
  return feed_forward_residual->forward(x, [&](const torch::Tensor& y) { return feed_forward(y); });
}

DecoderImpl::DecoderImpl(const StackOptions& options) {
  positions = register_module("positions", relative_positions(options, /*both_sides=*/false));
  layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < options.layers; ++i) layers->push_back(DecoderLayer(options));
  if (norm_comes_first(options.residual.norm))
    norm = register_module("norm", layer_norm(options.residual.d_model, options.residual.norm_epsilon,
                                              options.residual.variant));
}

torch::Tensor DecoderImpl::forward(torch::Tensor x, const torch::Tensor& memory,
                                   const torch::Tensor& self_mask, const torch::Tensor& source_mask) {
  const auto places = positions->whole(x);
  for (const auto& layer : *layers)
    x = layer->as<DecoderLayer>()->forward(x, memory, self_mask, source_mask, places);
  return norm ? in_compute_type(normalize(norm, x)) : x;
}

DecoderCache DecoderImpl::start(const torch::Tensor& memory, const torch::Tensor& source_mask) {
  DecoderCache cache;
  cache.source_mask = source_mask;
  for (const auto& layer : *layers)
    cache.layers.push_back({{}, layer->as<DecoderLayer>()->source_attention->keys_and_values(memory)});
  return cache;
}

torch::Tensor DecoderImpl::step(torch::Tensor x, DecoderCache& cache) {
  const auto position = cache.position.defined()
                            ? cache.position
                            : torch::full({}, cache.length, x.options().dtype(torch::kLong));
  const auto places = positions->last(position, cache.layers.front().self.keys);
  for (std::size_t i = 0; i < layers->size(); ++i)
    x = layers->ptr<DecoderLayerImpl>(i)->step(x, cache.layers[i], cache.source_mask, places);
  ++cache.length;
  return norm ? in_compute_type(normalize(norm, x)) : x;
}

}  // namespace transformer::nn

#include "transformer/nn/decoder.h"

#include "transformer/nn/masks.h"

namespace transformer::nn {
namespace {

/// A Stream of whole targets through a decoder (layer_order.h).
struct DecoderStream : ModuleStream {
  const torch::Tensor& memory;
  const ops::AttentionMask& self_mask;
  const ops::AttentionMask& source_mask;
  const AttentionPositions& positions;

  torch::Tensor attend_to_self(MultiHeadAttention& attention, const torch::Tensor& y) const {
    return attention(y, y, self_mask, positions);
  }
  torch::Tensor attend_to_source(MultiHeadAttention& attention, const torch::Tensor& y) const {
    return attention(y, memory, source_mask);
  }
  torch::Tensor feed_forward(FeedForward& network, const torch::Tensor& y) const { return network(y); }
};

/// A Stream of whole beginnings, y: (B, T, D). The cache keeps their keys and values.
struct ReadStream : ModuleStream {
  LayerCache& cache;
  const torch::Tensor& self_mask;
  const torch::Tensor& source_mask;
  const AttentionPositions& positions;

  torch::Tensor attend_to_self(MultiHeadAttention& attention, const torch::Tensor& y) const {
    cache.self = attention->keys_and_values(y, positions);
    return attention->attend(y, cache.self, self_mask, positions);
  }
  torch::Tensor attend_to_source(MultiHeadAttention& attention, const torch::Tensor& y) const {
    return attention->attend(y, cache.source, source_mask);
  }
  torch::Tensor feed_forward(FeedForward& network, const torch::Tensor& y) const { return network(y); }
};

/// A Stream of one further position of each hypothesis, y: (B, W, D), given what the cache remembers.
struct StepStream : ModuleStream {
  LayerCache& cache;
  const torch::Tensor& source_mask;
  const AttentionPositions& positions;

  torch::Tensor attend_to_self(MultiHeadAttention& attention, const torch::Tensor& y) const {
    const auto rows = y.flatten(0, 1).unsqueeze(1);  // (B·W, 1, D): each looks at its own past
    attention->extend(cache.self, rows, positions);
    return attention->attend(rows, cache.self, torch::Tensor(), positions).view_as(y);
  }
  torch::Tensor attend_to_source(MultiHeadAttention& attention, const torch::Tensor& y) const {
    // A sentence's hypotheses are positions of one query, so its source is neither copied nor read twice.
    return attention->attend(y, cache.source, source_mask);
  }
  torch::Tensor feed_forward(FeedForward& network, const torch::Tensor& y) const { return network(y); }
};

}  // namespace

DecoderLayerImpl::DecoderLayerImpl(const StackOptions& options) : order_(order_of(options)) {
  self_attention = register_module("self_attention",
                                   MultiHeadAttention(in_role(options.attention, variants::Role::decoder)));
  self_attention_residual = register_module("self_attention_residual", ResidualNorm(options.residual));
  if (order_.source) {  // in files cross-attention is called so
    cross_attention = register_module("source_attention",
                                      MultiHeadAttention(in_role(options.attention, variants::Role::source)));
    if (!order_.parallel)
      cross_attention_residual = register_module("source_attention_residual", ResidualNorm(options.residual));
  }
  if (!order_.feed_forward) return;
  feed_forward = register_module("feed_forward", FeedForward(options.feed_forward));
  if (!order_.parallel)
    feed_forward_residual = register_module("feed_forward_residual", ResidualNorm(options.residual));
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& input, const torch::Tensor& memory,
                                        const ops::AttentionMask& self_mask,
                                        const ops::AttentionMask& source_mask,
                                        const AttentionPositions& positions) {
  DecoderStream stream{{input}, memory, self_mask, source_mask, positions};
  run(stream);
  return stream.x;
}

torch::Tensor DecoderLayerImpl::read(const torch::Tensor& input, LayerCache& cache,
                                     const torch::Tensor& self_mask, const torch::Tensor& source_mask,
                                     const AttentionPositions& positions) {
  ReadStream stream{{input}, cache, self_mask, source_mask, positions};
  run(stream);
  return stream.x;
}

torch::Tensor DecoderLayerImpl::step(const torch::Tensor& input, LayerCache& cache,
                                     const torch::Tensor& source_mask, const AttentionPositions& positions) {
  StepStream stream{{input}, cache, source_mask, positions};
  run(stream);
  return stream.x;
}

DecoderImpl::DecoderImpl(const StackOptions& options) : norm_placement_(options.residual.norm) {
  positions = register_module("positions", relative_positions(options, /*both_sides=*/false));
  layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < options.layers; ++i) layers->push_back(DecoderLayer(options));
  if (where_enter(options.positions) == PositionsEnter::layers)
    layer_positions = register_module("layer_positions", layer_sinusoids(options));
  if (norm_comes_first(norm_placement_)) norm = register_module("norm", norm_of(options.residual));
}

torch::Tensor DecoderImpl::forward(const torch::Tensor& x, const torch::Tensor& memory,
                                   const ops::AttentionMask& self_mask,
                                   const ops::AttentionMask& source_mask) {
  const auto places = positions->of(x, self_mask);
  const auto vectors = layer_positions ? layer_positions->vectors_of(x, self_mask) : torch::Tensor();
  ModuleStream stream{x};
  for (const auto& layer : *layers) {
    if (layer_positions) stream.x = stream.x + vectors;
    stream.x = layer->as<DecoderLayer>()->forward(stream.x, memory, self_mask, source_mask, places);
  }
  return end_of_stack(norm_placement_, stream, norm);
}

DecoderCache DecoderImpl::start(const torch::Tensor& memory, const torch::Tensor& source_mask) {
  DecoderCache cache;
  cache.source_mask = source_mask;
  for (const auto& layer : *layers) {
    auto& attention = layer->as<DecoderLayer>()->cross_attention;
    cache.layers.push_back({{}, attention ? attention->keys_and_values(memory) : KeyValue{}});
  }
  return cache;
}

torch::Tensor DecoderImpl::read(const torch::Tensor& x, DecoderCache& cache) {
  TORCH_CHECK(cache.length == 0, "a decoder reads several positions before its first step alone");
  const auto mask = causal_mask_of(x);
  const auto places = positions->of(x, mask);
  const auto vectors = layer_positions ? layer_positions->vectors_of(x, mask) : torch::Tensor();
  ModuleStream stream{x};
  for (std::size_t i = 0; i < layers->size(); ++i) {
    if (layer_positions) stream.x = stream.x + vectors;
    stream.x =
        layers->ptr<DecoderLayerImpl>(i)->read(stream.x, cache.layers[i], mask, cache.source_mask, places);
  }
  cache.length = x.size(1);
  return end_of_stack(norm_placement_, stream, norm);
}

torch::Tensor DecoderImpl::step(const torch::Tensor& x, DecoderCache& cache) {
  const auto position = cache.position.defined()
                            ? cache.position
                            : torch::full({}, cache.length, x.options().dtype(torch::kLong));
  const auto places = positions->last(position, cache.layers.front().self.keys);
  const auto vectors =
      layer_positions ? layer_positions->vectors_at(position).to(x.scalar_type()) : torch::Tensor();
  ModuleStream stream{x};
  for (std::size_t i = 0; i < layers->size(); ++i) {
    if (layer_positions) stream.x = stream.x + vectors;
    stream.x = layers->ptr<DecoderLayerImpl>(i)->step(stream.x, cache.layers[i], cache.source_mask, places);
  }
  ++cache.length;
  return end_of_stack(norm_placement_, stream, norm);
}

}  // namespace transformer::nn

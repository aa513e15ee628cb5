#include "transformer/nn/encoder.h"

namespace transformer::nn {
namespace {

/// A Stream through an encoder (layer_order.h).
struct EncoderStream : ModuleStream {
  const ops::AttentionMask& mask;
  const AttentionPositions& positions;

  torch::Tensor attend_to_self(MultiHeadAttention& attention, const torch::Tensor& y) const {
    return attention(y, y, mask, positions);
  }
  torch::Tensor feed_forward(FeedForward& network, const torch::Tensor& y) const { return network(y); }
};

}  // namespace

EncoderLayerImpl::EncoderLayerImpl(const StackOptions& options) : order_(order_of(options)) {
  self_attention = register_module("self_attention", MultiHeadAttention(options.attention));
  self_attention_residual = register_module("self_attention_residual", ResidualNorm(options.residual));
  if (!order_.feed_forward) return;
  feed_forward = register_module("feed_forward", FeedForward(options.feed_forward));
  if (!order_.parallel)
    feed_forward_residual = register_module("feed_forward_residual", ResidualNorm(options.residual));
}

torch::Tensor EncoderLayerImpl::forward(const torch::Tensor& input, const ops::AttentionMask& mask,
                                        const AttentionPositions& positions) {
  EncoderStream stream{{input}, mask, positions};
  if (order_.parallel)
    run_parallel_encoder_layer(order_, stream, *this);
  else
    run_encoder_layer(order_, stream, *this);
  return stream.x;
}

PositionalEncoding layer_sinusoids(const StackOptions& options) {
  PositionalEncoding made(Positions::interleaved, options.residual.d_model, 0);
  return made;
}

RelativePositions relative_positions(const StackOptions& options, bool both_sides) {
  return RelativePositions(RelativePositionsOptions{.positions = options.positions,
                                                    .heads = options.attention.heads,
                                                    .d_k = options.attention.d_k,
                                                    .farthest = options.attention.farthest,
                                                    .window = options.attention.window,
                                                    .rotary_base = options.rotary_base,
                                                    .both_sides = both_sides});
}

EncoderImpl::EncoderImpl(const StackOptions& options) : norm_placement_(options.residual.norm) {
  positions = register_module("positions", relative_positions(options, /*both_sides=*/true));
  layers = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < options.layers; ++i) layers->push_back(EncoderLayer(options));
  if (where_enter(options.positions) == PositionsEnter::layers)
    layer_positions = register_module("layer_positions", layer_sinusoids(options));
  if (norm_comes_first(norm_placement_)) norm = register_module("norm", norm_of(options.residual));
}

torch::Tensor EncoderImpl::forward(const torch::Tensor& x, const ops::AttentionMask& mask) {
  const auto places = positions->of(x, mask);
  const auto vectors = layer_positions ? layer_positions->vectors_of(x, mask) : torch::Tensor();
  ModuleStream stream{x};
  for (const auto& layer : *layers) {
    if (layer_positions) stream.x = stream.x + vectors;
    stream.x = layer->as<EncoderLayer>()->forward(stream.x, mask, places);
  }
  return end_of_stack(norm_placement_, stream, norm);
}

}  // namespace transformer::nn

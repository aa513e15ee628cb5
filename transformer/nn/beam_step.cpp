// A decoder's step for all hypotheses of a beam at once: the second form of DecoderImpl::step, which is the
// definition.
#include <algorithm>

#include "transformer/nn/decoder.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/linear.h"
#include "transformer/ops/rotary.h"
#include "transformer/ops/working_weights.h"

namespace transformer::nn {
namespace {

constexpr std::int64_t kFirstPositions = 32;  // that there is room for; then twice as many

/// The three matrices of self-attention, or their biases, as one. Undefined where these are.
torch::Tensor joined(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                     torch::ScalarType type) {
  if (!query.defined()) return {};
  return ops::working({query, key, value}, type);
}

/// (B, H, S, …), its rows one behind another, as products of batches want them.
KeyValue contiguous(const KeyValue& x) {
  return {x.keys.contiguous(), x.values.contiguous()};
}

/// The activations of one further position, y: (B, W, D), on their way through a decoder (layer_order.h).
struct BeamStream : ModuleStream {
  BeamLayerCache& cache;
  const BeamStep& at;

  torch::Tensor attend_to_self(MultiHeadAttention& attention, const torch::Tensor& y) const {
    const auto &keys = cache.self.keys, &values = cache.self.values;
    const auto heads = keys.size(1), d_k = keys.size(3), d_v = values.size(3);
    auto rows = ops::linear(y, cache.projection, cache.projection_bias);  // (B, W, H · (2K + V))
    if (at.rotation.defined()) rows = ops::rotate(rows, at.rotation, 2 * heads);
    const auto parts = rows.split_with_sizes({heads * d_k, heads * d_k, heads * d_v}, -1);
    keys.index_copy_(2, at.columns, ops::split_heads(parts[1], heads).to(keys.scalar_type()));
    values.index_copy_(2, at.columns, ops::split_heads(parts[2], heads).to(values.scalar_type()));
    return output(attention,
                  ops::added_mask_attention(ops::split_heads(parts[0], heads), keys, values, at.visible));
  }
  torch::Tensor attend_to_source(MultiHeadAttention& attention, const torch::Tensor& y) const {
    const auto queries = ops::linear(y, attention->query_weight(), attention->query_bias());
    return output(attention,
                  ops::added_mask_attention(ops::split_heads(queries, cache.source.keys.size(1)),
                                            cache.source.keys, cache.source.values, at.source_visible));
  }
  torch::Tensor feed_forward(FeedForward& network, const torch::Tensor& y) const { return network(y); }

 private:
  static torch::Tensor output(MultiHeadAttention& attention, const torch::Tensor& heads) {
    return ops::linear(ops::join_heads(heads), attention->output->weight, attention->output->bias);
  }
};

}  // namespace

BeamLayerCache DecoderLayerImpl::start_beam(const torch::Tensor& memory) {
  const auto source = contiguous(cross_attention->keys_and_values(memory));
  const auto sentences = memory.size(0), heads = source.keys.size(1);
  const auto empty = [&](std::int64_t size) {
    return torch::empty({sentences, heads, 0, size}, source.keys.options());
  };
  const auto type = source.keys.scalar_type();
  const auto& own = *self_attention;
  return {{empty(source.keys.size(3)), empty(source.values.size(3))},
          source,
          joined(own.query_weight(), own.key->weight, own.value->weight, type),
          joined(own.query_bias(), own.key->bias, own.value->bias, type)};
}

torch::Tensor DecoderLayerImpl::step(const torch::Tensor& input, BeamLayerCache& cache, const BeamStep& at) {
  BeamStream stream{{input}, cache, at};
  run(stream);
  return stream.x;
}

BeamCache DecoderImpl::start_beam(const torch::Tensor& memory, const torch::Tensor& source_mask,
                                  std::int64_t width) {
  BeamCache cache;
  for (const auto& layer : *layers) cache.layers.push_back(layer->as<DecoderLayer>()->start_beam(memory));
  const auto type = cache.layers.front().source.keys.scalar_type();
  cache.visible = torch::empty({memory.size(0), 1, width, 0}, memory.options().dtype(type));
  cache.source_visible = added_mask(source_mask, type);
  cache.itself = added_mask(torch::eye(width, source_mask.options()), type);
  const auto whole = memory.options().dtype(torch::kLong);
  cache.position = torch::zeros({1}, whole);
  cache.columns = torch::arange(width, whole);
  reserve(cache, 1);
  return cache;
}

bool DecoderImpl::reserve(BeamCache& cache, std::int64_t positions) {
  if (positions <= cache.positions()) return false;
  auto room = std::max(cache.positions(), kFirstPositions);
  while (room < positions) room *= 2;
  cache.lengthen(room);
  const auto whole = cache.position.options();
  if (layer_positions) cache.layer_vectors = layer_positions->table(room, whole.dtype(torch::kFloat));
  const auto told = this->positions->steps(torch::arange(room, whole));
  if (told.rotation.defined()) cache.rotations = told.rotation.transpose(0, 1).unsqueeze(2).contiguous();
  if (told.bias.defined()) {
    const auto width = cache.width(), columns = room * width;
    cache.bias = torch::constant_pad_nd(told.bias.to(cache.visible.scalar_type()).repeat_interleave(width, 2),
                                        {0, columns});
    cache.bias_columns = torch::arange(columns, whole) + (room - 1 - cache.length) * width;
  }
  return true;
}

torch::Tensor DecoderImpl::step(const torch::Tensor& x, BeamCache& cache) {
  reserve(cache, cache.length + 1);
  const auto width = cache.width();
  cache.visible.index_copy_(3, cache.columns, cache.itself.expand({cache.sentences(), 1, width, width}));
  BeamStep at{cache.columns, cache.visible, cache.source_visible, {}};
  if (cache.bias.defined()) at.visible = cache.visible + cache.bias.index_select(2, cache.bias_columns);
  if (cache.rotations.defined()) at.rotation = cache.rotations.index_select(0, cache.position)[0];
  ModuleStream stream{x};
  torch::Tensor vectors;
  if (layer_positions)
    vectors = cache.layer_vectors.index_select(0, cache.position).to(stream.x.scalar_type());
  for (std::size_t i = 0; i < layers->size(); ++i) {
    if (layer_positions) stream.x = stream.x + vectors;
    stream.x = layers->ptr<DecoderLayerImpl>(i)->step(stream.x, cache.layers[i], at);
  }
  cache.advance();
  return end_of_stack(norm_placement_, stream, norm);
}

}  // namespace transformer::nn

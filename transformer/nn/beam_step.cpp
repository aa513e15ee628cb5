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
    const auto width = y.size(1), first = at.columns - width;
    keys.narrow(2, first, width).copy_(ops::split_heads(parts[1], heads));
    values.narrow(2, first, width).copy_(ops::split_heads(parts[2], heads));
    return output(attention,
                  ops::added_mask_attention(ops::split_heads(parts[0], heads), keys.narrow(2, 0, at.columns),
                                            values.narrow(2, 0, at.columns), at.visible));
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

BeamLayerCache DecoderLayerImpl::start_beam(const torch::Tensor& memory, std::int64_t columns) {
  const auto source = contiguous(cross_attention->keys_and_values(memory));
  const auto sentences = memory.size(0), heads = source.keys.size(1);
  const auto empty = [&](std::int64_t size) {
    return torch::zeros({sentences, heads, columns, size}, source.keys.options());
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
                                  std::int64_t width, std::int64_t longest) {
  BeamCache cache;
  const auto columns = rounded_columns(std::min(longest, kFirstPositions) * width);
  for (const auto& layer : *layers)
    cache.layers.push_back(layer->as<DecoderLayer>()->start_beam(memory, columns));
  const auto type = cache.layers.front().source.keys.scalar_type();
  const auto nothing = torch::zeros({memory.size(0), 1, width, columns}, source_mask.options());
  cache.visible = added_mask(nothing, type);
  cache.source_visible = added_mask(source_mask, type);
  cache.longest = longest;
  if (layer_positions)  // so that no step has to make vectors of positions
    layer_positions(torch::empty({0, longest, memory.size(2)}, memory.options()));
  const auto told = positions->steps(torch::arange(longest, nothing.options().dtype(torch::kLong)));
  if (told.rotation.defined()) cache.rotations = told.rotation.transpose(0, 1).unsqueeze(2).contiguous();
  if (told.bias.defined())
    cache.bias =
        torch::constant_pad_nd(told.bias.to(type).repeat_interleave(width, 2), {0, rounded_columns(1)});
  return cache;
}

torch::Tensor DecoderImpl::step(const torch::Tensor& x, BeamCache& cache) {
  cache.reserve(cache.length + 1);
  const auto width = cache.width(), first = cache.length * width, columns = first + width;
  cache.visible.narrow(3, first, width).diagonal(0, 2, 3).zero_();  // each sees itself
  const auto aligned = rounded_columns(columns);
  auto visible = cache.visible.narrow(3, 0, aligned);
  if (cache.bias.defined())
    visible = visible + cache.bias.narrow(2, (cache.longest - cache.length - 1) * width, aligned);
  BeamStep at{columns, visible.narrow(3, 0, columns), cache.source_visible, {}};
  if (cache.rotations.defined()) at.rotation = cache.rotations[cache.length];
  ModuleStream stream{x};
  for (std::size_t i = 0; i < layers->size(); ++i) {
    if (layer_positions)
      stream.x = layer_positions(stream.x.flatten(0, 1).unsqueeze(1), cache.length).view_as(stream.x);
    stream.x = layers->ptr<DecoderLayerImpl>(i)->step(stream.x, cache.layers[i], at);
  }
  ++cache.length;
  return end_of_stack(norm_placement_, stream, norm);
}

}  // namespace transformer::nn

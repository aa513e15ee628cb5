#include "apps/bench/layers/layers.h"

#include <ATen/ops/conv1d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/rnn_tanh.h>

#include <cmath>

#include "transformer/base/choices.h"
#include "transformer/nn/init.h"
#include "transformer/nn/multi_head_attention.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/windowed_attention.h"

namespace transformer::bench {
namespace {

/// Random weights of shape (rows, columns, …). Their products have the scale of the input if `inputs` numbers
/// are summed for each output.
torch::Tensor random_weight(at::IntArrayRef sizes, std::int64_t inputs, const torch::TensorOptions& options) {
  const auto values = at::randn(sizes, options.dtype(torch::kFloat)) / std::sqrt(static_cast<double>(inputs));
  return values.to(options.dtype()).set_requires_grad(true);
}

BuiltLayer whole_attention(const LayerShape& shape) {
  return {{}, [heads = shape.width / shape.head_width](const torch::Tensor& x) {
            const auto by_heads = ops::split_heads(x, heads);  // (B, H, n, d / H)
            return ops::join_heads(ops::scaled_dot_product_attention(by_heads, by_heads, by_heads, {}));
          }};
}

BuiltLayer near_attention(const LayerShape& shape) {
  return {{}, [heads = shape.width / shape.head_width, window = shape.window](const torch::Tensor& x) {
            const auto by_heads = ops::split_heads(x, heads);
            if (ops::blocks_are_fewer(x.size(1), window, false))
              return ops::join_heads(
                  ops::windowed_attention(by_heads, by_heads, by_heads, {}, window, /*causal=*/false));
            const auto places = torch::arange(x.size(1), x.options().dtype(torch::kLong));
            const auto mask = ops::window_mask(places, places, window);
            return ops::join_heads(ops::scaled_dot_product_attention(by_heads, by_heads, by_heads, mask));
          }};
}

BuiltLayer attention_of_models(const LayerShape& shape, const torch::TensorOptions& options,
                               nn::AttentionScore score) {
  nn::MultiHeadAttention layer(nn::MultiHeadAttentionOptions{.d_model = shape.width,
                                                             .heads = shape.width / shape.head_width,
                                                             .d_k = shape.head_width,
                                                             .d_v = shape.head_width,
                                                             .score = score});
  nn::initialize(*layer);
  layer->to(options.device(), c10::typeMetaToScalarType(options.dtype()));
  const auto on_device = torch::TensorOptions(options.device());
  const auto count = shape.sequences, rows = count * shape.length;
  const auto offsets = torch::arange(0, rows + 1, shape.length, torch::kLong);
  const ops::Sequences packed{offsets, offsets.to(on_device.dtype(torch::kInt)),
                              torch::arange(rows, on_device.dtype(torch::kLong)), shape.length};
  return {layer->parameters(), [layer, packed](const torch::Tensor& x) mutable {
            const auto all = x.flatten(0, 1);
            return layer->forward(all, all, ops::AttentionMask::packed(packed, packed, /*causal=*/false))
                .view(x.sizes());
          }};
}

/// An RNN (one gate) or an LSTM (four gates). Each gate reads the input and the previous state.
BuiltLayer recurrence(const LayerShape& shape, const torch::TensorOptions& options, bool lstm) {
  const auto d = shape.width, gates = lstm ? 4 * d : d;
  const std::vector<torch::Tensor> weights = {random_weight({gates, d}, 2 * d, options),
                                              random_weight({gates, d}, 2 * d, options)};
  return {weights, [weights, lstm](const torch::Tensor& x) {
            const auto rows = x.transpose(0, 1).contiguous();  // (n, B, d)
            const auto start = torch::zeros({1, x.size(0), x.size(2)}, x.options());
            constexpr bool biases = false, dropout_on = true, both_ways = false, batch_first = false;
            if (lstm)
              return std::get<0>(at::lstm(rows, {start, start}, weights, biases, /*num_layers=*/1,
                                          /*dropout=*/0.0, dropout_on, both_ways, batch_first))
                  .transpose(0, 1);
            return std::get<0>(at::rnn_tanh(rows, start, weights, biases, /*num_layers=*/1,
                                            /*dropout=*/0.0, dropout_on, both_ways, batch_first))
                .transpose(0, 1);
          }};
}

BuiltLayer convolution(const LayerShape& shape, const torch::TensorOptions& options) {
  const auto d = shape.width, k = shape.kernel;
  const auto weight = random_weight({d, d, k}, d * k, options);
  return {{weight}, [weight, k](const torch::Tensor& x) {
            return at::conv1d(x.transpose(1, 2), weight, {}, 1, (k - 1) / 2).transpose(1, 2);
          }};
}

/// Causal, like ByteNet's. In a stack of centred kernels, a path that first has to step back would leave the
/// sequence at its beginning, so the first position would never reach most others.
BuiltLayer dilated(const LayerShape& shape, const torch::TensorOptions& options, std::int64_t depth) {
  const auto d = shape.width, k = shape.kernel;
  std::int64_t apart = 1;
  for (std::int64_t i = 0; i < depth; ++i) apart *= k;
  const auto weight = random_weight({d, d, k}, d * k, options);
  return {{weight}, [weight, k, apart](const torch::Tensor& x) {
            const auto before = torch::constant_pad_nd(x.transpose(1, 2), {(k - 1) * apart, 0});
            constexpr std::int64_t padding = 0;
            return at::conv1d(before, weight, {}, 1, padding, apart).transpose(1, 2);
          }};
}

BuiltLayer separable(const LayerShape& shape, const torch::TensorOptions& options) {
  const auto d = shape.width, k = shape.kernel;
  const auto over_positions = random_weight({d, 1, k}, k, options);
  const auto over_dimensions = random_weight({d, d}, d, options);
  return {{over_positions, over_dimensions}, [over_positions, over_dimensions, d, k](const torch::Tensor& x) {
            const auto mixed = at::conv1d(x.transpose(1, 2), over_positions, {}, 1, (k - 1) / 2, 1, d);
            return at::linear(mixed.transpose(1, 2), over_dimensions);
          }};
}

BuiltLayer build(LayerKind kind, const LayerShape& shape, const torch::TensorOptions& options,
                 std::int64_t depth) {
  switch (kind) {
    case LayerKind::self_attention:
      return whole_attention(shape);
    case LayerKind::multi_head_attention:
      return attention_of_models(shape, options, nn::AttentionScore::product);
    case LayerKind::additive_attention:
      return attention_of_models(shape, options, nn::AttentionScore::additive);
    case LayerKind::restricted_attention:
      return near_attention(shape);
    case LayerKind::recurrent:
      return recurrence(shape, options, /*lstm=*/false);
    case LayerKind::lstm:
      return recurrence(shape, options, /*lstm=*/true);
    case LayerKind::convolution:
      return convolution(shape, options);
    case LayerKind::dilated_convolution:
      return dilated(shape, options, depth);
    case LayerKind::separable_convolution:
      return separable(shape, options);
  }
  no_such_choice();
}

}  // namespace

BuiltLayer build_layer(LayerKind kind, const LayerShape& shape, const torch::TensorOptions& options,
                       std::int64_t depth) {
  auto layer = build(kind, shape, options, depth);
  layer.forward = [forward = std::move(layer.forward)](const torch::Tensor& x) {
    return x.dim() == 2 ? forward(x.unsqueeze(0)).squeeze(0) : forward(x);
  };
  return layer;
}

}  // namespace transformer::bench

#include "transformer/nn/multi_head_attention.h"

#include <cmath>

#include "transformer/nn/attention_record.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/fused_attention.h"
#include "transformer/ops/linear.h"
#include "transformer/ops/rotary.h"
#include "transformer/ops/scores.h"
#include "transformer/ops/tracing.h"
#include "transformer/ops/windowed_attention.h"

namespace transformer::nn {
namespace {

torch::nn::Linear projection(std::int64_t from, std::int64_t to, bool bias) {
  torch::nn::Linear made(torch::nn::LinearOptions(from, to).bias(bias));
  return made;
}

/// (…, heads · K), each head's part normalised.
torch::Tensor normed(const torch::Tensor& rows, Norm& norm, std::int64_t heads) {
  return norm ? norm(rows.unflatten(-1, {heads, -1})).flatten(-2) : rows;
}

/// Rows (B, T, heads · K), or packed, → (B, heads, T, K)
torch::Tensor by_heads(const torch::Tensor& rows, std::int64_t heads, const ops::Sequences* packed) {
  return ops::split_heads(packed ? ops::pad(rows, *packed) : rows, heads);
}

/// Those that several heads read, once for each of these.
KeyValue repeated(const KeyValue& memory, std::int64_t times) {
  return {ops::repeat_heads(memory.keys, times), ops::repeat_heads(memory.values, times)};
}

torch::Tensor turned(const torch::Tensor& rows, const AttentionPositions& positions, std::int64_t heads) {
  return positions.rotation.defined() ? ops::rotate(rows, positions.rotation, heads) : rows;
}

/// Whether the weights are the softmax of queries times keys, with a bias and a mask, and meet values alone:
/// what the functions that keep no matrix of weights compute. An option that changes them belongs here.
bool is_plain(const MultiHeadAttentionOptions& options) {
  return options.score == AttentionScore::product && options.farthest == 0;
}

}  // namespace

MultiHeadAttentionOptions attention_options(const models::ModelOptions& o) {
  return {.d_model = o.d_model,
          .heads = o.heads,
          .d_k = o.d_k,
          .d_v = o.d_v,
          .bias = o.attention_bias,
          .scale = o.attention_scale,
          .dropout = o.attention_dropout,
          .variant = {o.variants.attention, models::place_of(o)},
          .score = o.attention_score,
          .kv_heads = o.kv_heads,
          .qk_norm = o.qk_norm,
          .norm_epsilon = o.norm_epsilon,
          .window = o.attention_window,
          .farthest = are_relative_vectors(o.positions) ? o.relative_distance : 0};
}

MultiHeadAttentionOptions in_role(MultiHeadAttentionOptions options, variants::Role role) {
  options.variant.place.role = role;
  if (!variants::is_self_attention(role)) options.window = options.farthest = 0;
  return options;
}

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options) : options_(options) {
  const auto& o = options;
  TORCH_CHECK(
      o.d_model > 0 && o.heads > 0 && o.d_k > 0 && o.d_v > 0 && o.query_width >= 0 && o.memory_width >= 0,
      "multi-head attention: sizes must be positive, found d_model ", o.d_model, ", query_width ",
      o.query_width, ", memory_width ", o.memory_width, ", heads ", o.heads, ", d_k ", o.d_k, ", d_v ",
      o.d_v);
  const auto kv_heads = o.heads_of_keys();
  TORCH_CHECK(kv_heads > 0 && o.heads % kv_heads == 0, "multi-head attention: ", kv_heads,
              " heads of keys and values are no divisor of ", o.heads, " heads");
  query = register_module("query", projection(o.width_of_queries(), o.heads * o.d_k, o.bias));
  key = register_module("key", projection(o.width_of_memory(), kv_heads * o.d_k, o.bias));
  value = register_module("value", projection(o.width_of_memory(), kv_heads * o.d_v, o.bias));
  output = register_module("output", projection(o.heads * o.d_v, o.d_model, o.bias));
  if (o.variant.choice) variant = register_module("variant", make_variant<AttentionVariant>(o.variant));
  if (o.qk_norm) {
    const NormOptions norm{.d_model = o.d_k, .epsilon = o.norm_epsilon, .kind = NormKind::rms};
    norm_of_queries = register_module("norm_of_queries", Norm(norm));
    norm_of_keys = register_module("norm_of_keys", Norm(norm));
  }
  if (o.score == AttentionScore::additive)
    score_weight = register_parameter("score_weight", torch::empty({o.heads, o.d_k}));
  if (o.farthest > 0) {
    distance_keys = register_parameter("distance_keys", torch::empty({2 * o.farthest + 1, o.d_k}));
    distance_values = register_parameter("distance_values", torch::empty({2 * o.farthest + 1, o.d_v}));
  }
}

torch::Tensor MultiHeadAttentionImpl::for_scores(const torch::Tensor& of_queries) const {
  if (options_.scale || !of_queries.defined()) return of_queries;
  return of_queries * std::sqrt(static_cast<double>(options_.d_k));
}

torch::Tensor MultiHeadAttentionImpl::normed_queries(const torch::Tensor& rows) {
  return norm_of_queries ? for_scores(normed(rows, norm_of_queries, options_.heads)) : rows;
}

torch::Tensor MultiHeadAttentionImpl::queries_of(const torch::Tensor& x, const AttentionPositions& positions,
                                                 const ops::Sequences* packed) {
  const auto heads = options_.heads;
  const auto rows = normed_queries(ops::linear(x, query_weight(), query_bias()));
  return by_heads(turned(rows, positions, heads), heads, packed);
}

torch::Tensor MultiHeadAttentionImpl::keys_of(const torch::Tensor& x, const AttentionPositions& positions,
                                              const ops::Sequences* packed) {
  const auto heads = options_.heads_of_keys();
  const auto rows = normed(ops::linear(x, key->weight, key->bias), norm_of_keys, heads);
  return by_heads(turned(rows, positions, heads), heads, packed);
}

torch::Tensor MultiHeadAttentionImpl::values_of(const torch::Tensor& x, const ops::Sequences* packed) {
  return by_heads(ops::linear(x, value->weight, value->bias), options_.heads_of_keys(), packed);
}

KeyValue MultiHeadAttentionImpl::keys_and_values(const torch::Tensor& memory,
                                                 const AttentionPositions& positions) {
  return {keys_of(memory, positions), values_of(memory)};
}

void MultiHeadAttentionImpl::extend(KeyValue& past, const torch::Tensor& x,
                                    const AttentionPositions& positions) {
  if (const auto window = options_.window; window > 0 && past.keys.defined())
    past = {past.keys.slice(2, -window), past.values.slice(2, -window)};
  past.append(keys_and_values(x, positions));
}

torch::Tensor MultiHeadAttentionImpl::attend(const torch::Tensor& x, const KeyValue& memory,
                                             const torch::Tensor& mask, const AttentionPositions& positions) {
  const auto heads = attend_apart(queries_of(x, positions), memory, mask, positions);
  return ops::linear(heads, output->weight, output->bias);
}

torch::Tensor MultiHeadAttentionImpl::weights_apart(const torch::Tensor& queries, const torch::Tensor& keys,
                                                    const torch::Tensor& mask,
                                                    const AttentionPositions& positions) const {
  auto near = mask;
  if (options_.window > 0) {
    near = ops::window_mask(query_positions(queries, keys), key_positions(keys), options_.window);
    if (mask.defined()) near = near.logical_and(mask);
  }
  switch (options_.score) {
    case AttentionScore::additive:
      return ops::weights_of_scores(ops::additive_scores(queries, keys, score_weight), near, positions.bias);
    case AttentionScore::product:
      break;
  }
  if (distance_keys.defined())
    return ops::attention_weights(queries, keys, near,
                                  ops::distance_scores(queries, distance_keys, positions.distances));
  return ops::attention_weights(queries, keys, near, positions.bias);
}

torch::Tensor MultiHeadAttentionImpl::attend_apart(const torch::Tensor& queries, const KeyValue& memory,
                                                   const torch::Tensor& mask,
                                                   const AttentionPositions& positions) {
  const auto [keys, values] = repeated(memory, options_.heads / options_.heads_of_keys());
  const double p = is_training() ? options_.dropout : 0.0;
  auto* const record = AttentionRecord::of(*this);
  if (variant && record)
    record->add(options_.variant.place.role,
                weights_of_variant(*variant, queries, keys, values, mask, positions.bias));
  if (variant) return ops::join_heads(apply_variant(*variant, queries, keys, values, mask, positions.bias));
  if (!record && is_plain(options_) && options_.window == 0)
    return ops::join_heads(ops::scaled_dot_product_attention(queries, keys, values, mask, p, positions.bias));
  const auto softmax = weights_apart(queries, keys, mask, positions);
  if (record) record->add(options_.variant.place.role, softmax);
  const auto weights = ops::dropout(ops::for_values(softmax, values), p, p > 0.0);
  auto heads = torch::matmul(weights, values.to(weights));
  if (distance_values.defined())
    heads = heads + ops::distance_values(weights, distance_values.to(weights), positions.distances);
  return ops::join_heads(heads.to(values.scalar_type()));
}

torch::Tensor MultiHeadAttentionImpl::weights(const torch::Tensor& x, const KeyValue& memory,
                                              const torch::Tensor& mask,
                                              const AttentionPositions& positions) {
  const auto [keys, values] = repeated(memory, options_.heads / options_.heads_of_keys());
  const auto queries = queries_of(x, positions);
  if (variant) return weights_of_variant(*variant, queries, keys, values, mask, positions.bias);
  return weights_apart(queries, keys, mask, positions);
}

bool MultiHeadAttentionImpl::is_fused(const ops::AttentionMask& mask) const {
  // A trace would join the matrices each time that it runs, and a record needs the weights of each head.
  if (ops::tracing() || AttentionRecord::of(*this)) return false;
  const bool window_is_known = mask.is_packed() && !(is_training() && options_.dropout > 0);
  return !variant && is_plain(options_) && (options_.window == 0 || window_is_known);
}

torch::Tensor MultiHeadAttentionImpl::attend_fused(const torch::Tensor& x, const torch::Tensor& memory,
                                                   ops::AttentionMask mask,
                                                   const AttentionPositions& positions) {
  const ops::HeadSizes sizes{options_.heads, options_.d_k, options_.d_v, options_.kv_heads};
  const auto kv_heads = sizes.heads_of_keys();
  const double dropout = is_training() ? options_.dropout : 0.0;
  mask.window = options_.window;
  if (memory.is_same(x)) {
    auto projected = ops::joint_linear(x, {query_weight(), key->weight, value->weight},
                                       {query_bias(), key->bias, value->bias});
    if (norm_of_queries) {
      const auto parts = projected.split_with_sizes({sizes.queries(), sizes.keys(), sizes.values()}, -1);
      projected =
          torch::cat({normed_queries(parts[0]), normed(parts[1], norm_of_keys, kv_heads), parts[2]}, -1);
    }
    projected = turned(projected, positions, options_.heads + kv_heads);
    return ops::fused_self_attention(projected, mask, sizes, dropout, positions.bias);
  }
  TORCH_CHECK(!positions.rotation.defined() && !positions.bias.defined(),
              "positions of two sequences have no distance");
  auto projected = ops::joint_linear(memory, {key->weight, value->weight}, {key->bias, value->bias});
  if (norm_of_keys) {
    const auto parts = projected.split_with_sizes({sizes.keys(), sizes.values()}, -1);
    projected = torch::cat({normed(parts[0], norm_of_keys, kv_heads), parts[1]}, -1);
  }
  const auto queries = normed_queries(ops::linear(x, query_weight(), query_bias()));
  return ops::fused_cross_attention(queries, projected, mask, sizes, dropout);
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& x, const torch::Tensor& memory,
                                              const ops::AttentionMask& mask,
                                              const AttentionPositions& positions) {
  const auto of_all_heads = [&] {
    if (is_fused(mask)) return attend_fused(x, memory, mask, positions);
    const auto queries = queries_of(x, positions, mask.queries);
    const KeyValue projected{keys_of(memory, positions, mask.keys), values_of(memory, mask.keys)};
    const auto rows = attend_apart(queries, projected, mask.tensor(), positions);
    return mask.is_packed() ? ops::pack(rows, *mask.queries) : rows;
  };
  return ops::linear(of_all_heads(), output->weight, output->bias);
}

}  // namespace transformer::nn

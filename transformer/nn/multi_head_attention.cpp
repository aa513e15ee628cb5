#include "transformer/nn/multi_head_attention.h"

#include <cmath>

#include "transformer/base/error.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/fused_attention.h"
#include "transformer/ops/linear.h"
#include "transformer/ops/rotary.h"
#include "transformer/ops/tracing.h"

namespace transformer::nn {
namespace {

torch::nn::Linear projection(std::int64_t from, std::int64_t to, bool bias) {
  return torch::nn::Linear(torch::nn::LinearOptions(from, to).bias(bias));
}

}  // namespace

MultiHeadAttentionOptions in_role(MultiHeadAttentionOptions options, variants::Role role) {
  options.variant.place.role = role;
  return options;
}

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options) : options_(options) {
  TORCH_CHECK(options.d_model > 0 && options.heads > 0 && options.d_k > 0 && options.d_v > 0,
              "multi-head attention: sizes must be positive, found d_model ", options.d_model, ", heads ",
              options.heads, ", d_k ", options.d_k, ", d_v ", options.d_v);
  const auto& [d_model, heads, d_k, d_v, bias, scale, dropout, chosen] = options;
  query = register_module("query", projection(d_model, heads * d_k, bias));
  key = register_module("key", projection(d_model, heads * d_k, bias));
  value = register_module("value", projection(d_model, heads * d_v, bias));
  output = register_module("output", projection(heads * d_v, d_model, bias));
  if (chosen.choice) variant = register_module("variant", make_variant<AttentionVariant>(chosen));
}

torch::Tensor MultiHeadAttentionImpl::for_scores(const torch::Tensor& of_queries) const {
  if (options_.scale || !of_queries.defined()) return of_queries;
  return of_queries * std::sqrt(static_cast<double>(options_.d_k));
}

torch::Tensor MultiHeadAttentionImpl::by_heads(torch::Tensor rows, const AttentionPositions& positions,
                                               const ops::Sequences* packed) const {
  if (positions.rotation.defined()) rows = ops::rotate(rows, positions.rotation, options_.heads);
  return ops::split_heads(packed ? ops::pad(rows, *packed) : rows, options_.heads);
}

torch::Tensor MultiHeadAttentionImpl::queries_of(const torch::Tensor& x, const AttentionPositions& positions,
                                                 const ops::Sequences* packed) {
  return by_heads(ops::linear(x, query_weight(), query_bias()), positions, packed);
}

torch::Tensor MultiHeadAttentionImpl::keys_of(const torch::Tensor& x, const AttentionPositions& positions,
                                              const ops::Sequences* packed) {
  return by_heads(ops::linear(x, key->weight, key->bias), positions, packed);
}

torch::Tensor MultiHeadAttentionImpl::values_of(const torch::Tensor& x, const ops::Sequences* packed) {
  return by_heads(ops::linear(x, value->weight, value->bias), {}, packed);
}

KeyValue MultiHeadAttentionImpl::keys_and_values(const torch::Tensor& memory,
                                                 const AttentionPositions& positions) {
  return {keys_of(memory, positions), values_of(memory)};
}

torch::Tensor MultiHeadAttentionImpl::attend(const torch::Tensor& x, const KeyValue& memory,
                                             const torch::Tensor& mask, const AttentionPositions& positions) {
  const auto heads = attend_apart(queries_of(x, positions), memory, mask, positions.bias);
  return ops::linear(heads, output->weight, output->bias);
}

/// → (B, T, H·V)
torch::Tensor MultiHeadAttentionImpl::attend_apart(const torch::Tensor& queries, const KeyValue& memory,
                                                   const torch::Tensor& mask, const torch::Tensor& bias) {
  if (variant)
    return ops::join_heads(apply_variant(*variant, queries, memory.keys, memory.values, mask, bias));
  const double dropout = is_training() ? options_.dropout : 0.0;
  return ops::join_heads(
      ops::scaled_dot_product_attention(queries, memory.keys, memory.values, mask, dropout, bias));
}

torch::Tensor MultiHeadAttentionImpl::weights(const torch::Tensor& x, const KeyValue& memory,
                                              const torch::Tensor& mask,
                                              const AttentionPositions& positions) {
  if (variant)
    throw InputError(variants::key_of(variants::Kind::attention) +
                     ": expected the paper's attention, whose weights can be shown, found a variant");
  return ops::attention_weights(queries_of(x, positions), memory.keys, mask, positions.bias);
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& x, const torch::Tensor& memory,
                                              const ops::AttentionMask& mask,
                                              const AttentionPositions& positions) {
  // A trace would put the matrices beside each other each time that it runs, and a variant wants them apart.
  if (ops::tracing() || variant) {
    const KeyValue projected{keys_of(memory, positions, mask.keys), values_of(memory, mask.keys)};
    const auto rows =
        attend_apart(queries_of(x, positions, mask.queries), projected, mask.tensor(), positions.bias);
    return ops::linear(mask.is_packed() ? ops::pack(rows, *mask.queries) : rows, output->weight,
                       output->bias);
  }
  const ops::HeadSizes sizes{options_.heads, options_.d_k, options_.d_v};
  const double dropout = is_training() ? options_.dropout : 0.0;
  torch::Tensor heads;  // (B, T, H·V) or (N, H·V)
  if (memory.is_same(x)) {
    auto projected = ops::joint_linear(x, {query_weight(), key->weight, value->weight},
                                       {query_bias(), key->bias, value->bias});
    if (positions.rotation.defined())
      projected = ops::rotate(projected, positions.rotation, 2 * options_.heads);
    heads = ops::fused_self_attention(projected, mask, sizes, dropout, positions.bias);
  } else {
    TORCH_CHECK(!positions.rotation.defined() && !positions.bias.defined(),
                "positions of two sequences have no distance");
    const auto projected = ops::joint_linear(memory, {key->weight, value->weight}, {key->bias, value->bias});
    heads = ops::fused_cross_attention(ops::linear(x, query_weight(), query_bias()), projected, mask, sizes,
                                       dropout);
  }
  return ops::linear(heads, output->weight, output->bias);
}

}  // namespace transformer::nn

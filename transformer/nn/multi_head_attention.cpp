#include "transformer/nn/multi_head_attention.h"

#include "transformer/nn/attention.h"

namespace transformer::nn {
namespace {

torch::nn::Linear projection(std::int64_t from, std::int64_t to, bool bias) {
  return torch::nn::Linear(torch::nn::LinearOptions(from, to).bias(bias));
}

}  // namespace

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options) : options_(options) {
  TORCH_CHECK(options.d_model > 0 && options.heads > 0 && options.d_k > 0 && options.d_v > 0,
              "multi-head attention: sizes must be positive, found d_model ", options.d_model, ", heads ",
              options.heads, ", d_k ", options.d_k, ", d_v ", options.d_v);
  const auto [d_model, heads, d_k, d_v, bias, dropout] = options;
  query = register_module("query", projection(d_model, heads * d_k, bias));
  key = register_module("key", projection(d_model, heads * d_k, bias));
  value = register_module("value", projection(d_model, heads * d_v, bias));
  output = register_module("output", projection(heads * d_v, d_model, bias));
}

torch::Tensor MultiHeadAttentionImpl::split_heads(const torch::Tensor& x) const {
  return x.unflatten(-1, {options_.heads, -1}).transpose(1, 2);  // (B, T, H·K) → (B, H, T, K)
}

KeyValue MultiHeadAttentionImpl::keys_and_values(const torch::Tensor& memory) {
  return {split_heads(key(memory)), split_heads(value(memory))};
}

torch::Tensor MultiHeadAttentionImpl::attend(const torch::Tensor& x, const KeyValue& memory,
                                             const torch::Tensor& mask) {
  const double dropout = is_training() ? options_.dropout : 0.0;
  const auto heads = nn::scaled_dot_product_attention(split_heads(query(x)), memory.keys, memory.values, mask,
                                                      dropout);  // (B, H, T, V)
  return output(heads.transpose(1, 2).flatten(-2));
}

torch::Tensor MultiHeadAttentionImpl::weights(const torch::Tensor& x, const KeyValue& memory,
                                              const torch::Tensor& mask) {
  return attention_weights(split_heads(query(x)), memory.keys, mask);
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& x, const torch::Tensor& memory,
                                              const torch::Tensor& mask) {
  return attend(x, keys_and_values(memory), mask);
}

}  // namespace transformer::nn

// Section 3.2.1: scaled dot-product attention.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// (B, T, H·K) → (B, H, T, K), without a copy, and back.
torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads);
torch::Tensor join_heads(const torch::Tensor& x);

/// Each head of (B, G, S, K) `times` times, next to each other → (B, G · times, S, K): those that several
/// heads read.
torch::Tensor repeat_heads(const torch::Tensor& x, std::int64_t times);

/// softmax(scores) over the keys that a mask permits, as attention_weights() takes mask and bias; scores:
/// (B, H, T, S), fp32 or fp64.
torch::Tensor weights_of_scores(torch::Tensor scores, const torch::Tensor& mask,
                                const torch::Tensor& bias = {});

/// softmax(Q Kᵀ / √d_k): how much each query attends to each key.
/// query: (B, H, T, K), key: (B, H, S, K), mask: boolean, broadcastable to (B, H, T, S), true where a key may
/// be attended to, or undefined. bias: broadcastable likewise, added to the scaled scores, or undefined: the
/// paper has none. → (B, H, T, S), fp32 or fp64; a row without any permitted key is all zeros.
torch::Tensor attention_weights(const torch::Tensor& query, const torch::Tensor& key,
                                const torch::Tensor& mask, const torch::Tensor& bias = {});

/// Weights in the type in which they are multiplied with values: that of the values, but on the CPU fp32 for
/// bf16, in which oneDNN would generate code for each number of queries and keys that it meets, and keep it.
torch::Tensor for_values(const torch::Tensor& weights, const torch::Tensor& values);

/// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V, equation 1. value: (B, H, S, V) → (B, H, T, V).
/// dropout falls on the weights, where the paper has none. A fused kernel is used where it is the faster
/// one and computes the same; `reference_attention` spells the formula out.
torch::Tensor scaled_dot_product_attention(const torch::Tensor& query, const torch::Tensor& key,
                                           const torch::Tensor& value, const torch::Tensor& mask,
                                           double dropout = 0.0, const torch::Tensor& bias = {});

/// Without gradients, where the mask is added: 0 or -infinity (and a bias), of the type of `query`,
/// broadcastable to (B, H, T, S). Each query has a permitted key. Few operations.
torch::Tensor added_mask_attention(const torch::Tensor& query, const torch::Tensor& key,
                                   const torch::Tensor& value, const torch::Tensor& mask);

/// The same by its definition, without fused kernels.
torch::Tensor reference_attention(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, const torch::Tensor& mask, double dropout = 0.0,
                                  const torch::Tensor& bias = {});

}  // namespace transformer::ops

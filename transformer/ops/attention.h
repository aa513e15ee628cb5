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

/// softmax(scores) over the keys that a mask permits. mask and bias: as in attention_weights(). scores:
/// (B, H, T, S), fp32 or fp64.
torch::Tensor weights_of_scores(torch::Tensor scores, const torch::Tensor& mask,
                                const torch::Tensor& bias = {});

/// softmax(Q Kᵀ / √d_k): how much each query attends to each key.
///
/// query: (B, H, T, K), key: (B, H, S, K) → (B, H, T, S), fp32 or fp64. mask: boolean, broadcastable to
/// (B, H, T, S), true where a key may be attended to, or undefined. bias: broadcastable likewise, added to
/// the scaled scores, or undefined, as in the paper. A row without any permitted key is all zeros.
torch::Tensor attention_weights(const torch::Tensor& query, const torch::Tensor& key,
                                const torch::Tensor& mask, const torch::Tensor& bias = {});

/// Weights in the type for the product with the values. That is the type of the values, except on the CPU,
/// where it is fp32 for bf16. oneDNN would generate and keep code for each number of bf16 queries and keys.
torch::Tensor for_values(const torch::Tensor& weights, const torch::Tensor& values);

/// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V, equation 1. value: (B, H, S, V) → (B, H, T, V). Dropout falls
/// on the weights; the paper has none. A fused kernel is used if it is faster and computes the same.
/// `reference_attention` spells the formula out.
torch::Tensor scaled_dot_product_attention(const torch::Tensor& query, const torch::Tensor& key,
                                           const torch::Tensor& value, const torch::Tensor& mask,
                                           double dropout = 0.0, const torch::Tensor& bias = {});

/// Without gradients, for a mask that is added. mask: 0 or -infinity, plus a bias, of the type of `query`,
/// broadcastable to (B, H, T, S). Each query needs a permitted key. It takes few operations.
torch::Tensor added_mask_attention(const torch::Tensor& query, const torch::Tensor& key,
                                   const torch::Tensor& value, const torch::Tensor& mask);

/// The same by its definition, without fused kernels.
torch::Tensor reference_attention(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, const torch::Tensor& mask, double dropout = 0.0,
                                  const torch::Tensor& bias = {});

}  // namespace transformer::ops

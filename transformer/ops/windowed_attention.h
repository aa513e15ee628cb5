// Section 4: restricted self-attention, in which each query reaches so many positions and no farther.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Masks for the definition: whether a key is at most `window` away from a query. queries, keys: positions,
/// (T) and (S) → (T, S), boolean
torch::Tensor window_mask(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window);

/// softmax(Q Kᵀ / √d_k) V over the keys at most `window` positions away. causal: only keys up to the query.
///
/// query, key: (B, H, T, K), value: (B, H, T, V) → (B, H, T, V). mask: (B, 1, 1, T), boolean, true where a
/// key may be attended to, or undefined. Results at hidden positions have no meaning. Queries are taken in
/// blocks, each with the keys in its reach, so time and memory grow with T · window.
torch::Tensor windowed_attention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& mask, std::int64_t window,
                                 bool causal);

/// Whether these blocks have fewer pairs of queries and keys than the whole of a sequence.
bool blocks_are_fewer(std::int64_t length, std::int64_t window, bool causal);

}  // namespace transformer::ops

// Section 4: restricted self-attention, in which each query reaches so many positions and no farther.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Which keys queries may attend to, at most `window` away, where queries and keys stand at these positions:
/// (T) and (S) → (T, S), boolean. For masks of the definition.
torch::Tensor window_mask(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window);

/// softmax(Q Kᵀ / √d_k) V over the keys at most `window` positions away; causal: none behind the query. query
/// and key: (B, H, T, K), value: (B, H, T, V), mask: (B, 1, 1, T), boolean, true where a key may be attended
/// to, or undefined → (B, H, T, V); what hidden positions themselves get is of no use. Time and memory grow
/// with T · window: queries are taken in blocks, each with the keys in its reach.
torch::Tensor windowed_attention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& mask, std::int64_t window,
                                 bool causal);

/// Whether these blocks have fewer pairs of queries and keys than the whole of a sequence.
bool blocks_are_fewer(std::int64_t length, std::int64_t window, bool causal);

}  // namespace transformer::ops

// Sections 3.2.1 and 3.2.2: attention of all heads over fused projections (QKV, or KV for cross-attention),
// which stand beside each other as one product leaves them: nothing is transposed or copied.
#pragma once

#include "transformer/ops/sequences.h"

namespace transformer::ops {

struct HeadSizes {
  std::int64_t heads = 8;
  std::int64_t d_k = 64;
  std::int64_t d_v = 64;
  std::int64_t kv_heads = 0;  ///< of keys and values, each for heads / kv_heads neighbours; 0: as many

  std::int64_t heads_of_keys() const { return kv_heads == 0 ? heads : kv_heads; }
  std::int64_t queries() const { return heads * d_k; }
  std::int64_t keys() const { return heads_of_keys() * d_k; }
  std::int64_t values() const { return heads_of_keys() * d_v; }
  std::int64_t outputs() const { return heads * d_v; }
};

/// Self-attention. projected: (B, T, queries + keys + values), or packed (N, …) → (B, T, outputs) or
/// (N, outputs). It has each position's queries, keys and values of all heads. bias: (H, T, T), fp32, or
/// undefined; T is the length of the longest sequence.
torch::Tensor fused_self_attention(const torch::Tensor& projected, const AttentionMask& mask,
                                   const HeadSizes& sizes, double dropout = 0.0,
                                   const torch::Tensor& bias = {});

/// Attention over another sequence. query: (B, T, queries), memory: (B, S, keys + values), or both packed. →
/// (B, T, outputs) or (N, outputs)
torch::Tensor fused_cross_attention(const torch::Tensor& query, const torch::Tensor& memory,
                                    const AttentionMask& mask, const HeadSizes& sizes, double dropout = 0.0);

}  // namespace transformer::ops

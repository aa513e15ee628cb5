// Other scores than the products of section 3.2.1, and what learned vectors of distances add to attention.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// w · tanh(q + k) for each query and key: a network with one hidden layer, whose first matrices are the
/// projections (Bahdanau et al. 2015, appendix A.1.2).
///
/// query: (B, H, T, K), key: (B, H, S, K), weight: (H, K) → (B, H, T, S), fp32 or fp64. On the CPU in fp32
/// and bf16 a kernel keeps no hidden layer. Elsewhere memory grows with T · S · K.
/// `reference_additive_scores` spells the formula out.
torch::Tensor additive_scores(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& weight);

/// The same by its definition, without the kernel.
torch::Tensor reference_additive_scores(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& weight);

/// The term that vectors of distances, (R, K), add to scaled scores: q_t · vectors[rows[t, s]] / √d_k (Shaw
/// et al. 2018, equation 5). The products are with the R vectors, not with one for each pair.
///
/// query: (B, H, T, K), rows: (T, S) → (B, H, T, S), fp32 or fp64
torch::Tensor distance_scores(const torch::Tensor& query, const torch::Tensor& vectors,
                              const torch::Tensor& rows);

/// The term that vectors of distances, (R, V), add to the weighted values: Σ_s weights[t, s] ·
/// vectors[rows[t, s]], equation 3.
///
/// weights: (B, H, T, S) → (B, H, T, V), in the type of the vectors
torch::Tensor distance_values(const torch::Tensor& weights, const torch::Tensor& vectors,
                              const torch::Tensor& rows);

}  // namespace transformer::ops

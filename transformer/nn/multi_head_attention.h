// Section 3.2.2: multi-head attention.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "transformer/models/options.h"
#include "transformer/nn/kv_cache.h"
#include "transformer/nn/norm.h"
#include "transformer/nn/relative_positions.h"
#include "transformer/nn/variant_parts.h"

namespace transformer::nn {

struct MultiHeadAttentionOptions {
  std::int64_t d_model = 512;     ///< width of the result
  std::int64_t query_width = 0;   ///< of the queries' input; 0: d_model, as where the result is added to it
  std::int64_t memory_width = 0;  ///< of the keys' and values' input; 0: d_model
  std::int64_t heads = 8;
  std::int64_t d_k = 64;        ///< size of a head's queries and keys, independent of d_model / heads
  std::int64_t d_v = 64;        ///< size of a head's values
  bool bias = false;            ///< biases of the four projections; the paper's are pure matrices
  bool scale = true;            ///< scores are divided by √d_k
  double dropout = 0.0;         ///< on the attention weights; the paper has none
  variants::Part variant = {};  ///< replaces scaled dot-product attention

  AttentionScore score = AttentionScore::product;
  /// Heads of keys and values, each for heads / kv_heads neighbouring heads of queries; 0: as many as heads.
  /// 1 is multi-query (Shazeer 2019), more is grouped-query attention (Ainslie et al. 2023).
  std::int64_t kv_heads = 0;
  /// Divides each head's queries and keys by their root mean square before they are rotated, with a weight
  /// for each dimension (Henry et al. 2020, Dehghani et al. 2023).
  bool qk_norm = false;
  double norm_epsilon = 1e-5;

  // Options for self-attention only.
  std::int64_t window = 0;  ///< positions in reach to each side; 0: all (section 4)
  /// Learned vectors of distances up to this one are added to keys and values, the same ones for all heads
  /// (Shaw et al. 2018); 0: none.
  std::int64_t farthest = 0;

  std::int64_t heads_of_keys() const { return kv_heads == 0 ? heads : kv_heads; }
  std::int64_t width_of_queries() const { return query_width == 0 ? d_model : query_width; }
  std::int64_t width_of_memory() const { return memory_width == 0 ? d_model : memory_width; }
};

/// Those of a model's attention, as it stands in the encoder.
MultiHeadAttentionOptions attention_options(const models::ModelOptions& model);

/// The same for attention in another place; a variant is told the place. Cross-attention has no distances.
MultiHeadAttentionOptions in_role(MultiHeadAttentionOptions options, variants::Role role);

/// MultiHead(Q, K, V) = Concat(head_1 … head_h) W^O, head_i = Attention(Q W^Q_i, K W^K_i, V W^V_i).
/// The h projections of a kind are the rows of one matrix, and those of all kinds are one product.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options);

  /// The queries come from x: (B, T, D), keys and values from memory: (B, S, D), each as wide as the options
  /// say. If the mask is for packed sequences, they are (N, D) and (M, D). positions: of x and memory, which
  /// are then the same. → (B, T, D) or (N, D)
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory, const ops::AttentionMask& mask,
                        const AttentionPositions& positions = {});

  /// The projected memory, which a decoder computes once and keeps. memory: (B, S, D), at these positions
  KeyValue keys_and_values(const torch::Tensor& memory, const AttentionPositions& positions = {});

  /// Adds the keys and values of the next position of each row, x: (R, 1, D), and forgets those that later
  /// positions do not reach.
  void extend(KeyValue& past, const torch::Tensor& x, const AttentionPositions& positions);

  /// Attention of x: (B, T, D), at these positions, over keys and values that are projected already.
  /// → (B, T, D)
  torch::Tensor attend(const torch::Tensor& x, const KeyValue& memory, const torch::Tensor& mask,
                       const AttentionPositions& positions = {});

  /// The weights that `attend` applies. → (B, H, T, S). Throws InputError where a variant attends that has
  /// none (weights_of_variant, variant_parts.h).
  torch::Tensor weights(const torch::Tensor& x, const KeyValue& memory, const torch::Tensor& mask,
                        const AttentionPositions& positions = {});

  /// The queries' projection as attention reads it, (H·K, D), and its bias, (H·K) or undefined. Attention
  /// always divides scores by √d_k. If it must not, the projection is multiplied by √d_k here, unless a norm
  /// follows, which would cancel the factor.
  torch::Tensor query_weight() const { return norm_of_queries ? query->weight : for_scores(query->weight); }
  torch::Tensor query_bias() const { return norm_of_queries ? query->bias : for_scores(query->bias); }

  torch::nn::Linear query{nullptr}, key{nullptr}, value{nullptr}, output{nullptr};
  Norm norm_of_queries{nullptr}, norm_of_keys{nullptr};  ///< of qk_norm, over d_k
  torch::Tensor score_weight;                            ///< (H, d_k), of additive scores
  torch::Tensor distance_keys, distance_values;          ///< (2 · farthest + 1, d_k) and (…, d_v)
  std::shared_ptr<AttentionVariant> variant;

 private:
  torch::Tensor for_scores(const torch::Tensor& of_queries) const;

  /// The queries of x, or its keys or values, by heads: (B, H or heads_of_keys(), T, K). packed: where x has
  /// its sequences, or null
  torch::Tensor queries_of(const torch::Tensor& x, const AttentionPositions& positions,
                           const ops::Sequences* packed = nullptr);
  torch::Tensor keys_of(const torch::Tensor& x, const AttentionPositions& positions,
                        const ops::Sequences* packed = nullptr);
  torch::Tensor values_of(const torch::Tensor& x, const ops::Sequences* packed = nullptr);

  /// What every way of attending computes, of each head apart. → (B, T, H·V)
  torch::Tensor attend_apart(const torch::Tensor& queries, const KeyValue& memory, const torch::Tensor& mask,
                             const AttentionPositions& positions);
  torch::Tensor weights_apart(const torch::Tensor& queries, const torch::Tensor& keys,
                              const torch::Tensor& mask, const AttentionPositions& positions) const;

  /// Rows of queries, (…, H·K), once normalised, where they are.
  torch::Tensor normed_queries(const torch::Tensor& rows);

  /// Whether ops::fused_self_attention and ops::fused_cross_attention compute this. They know windows of
  /// packed sequences, where no dropout falls on the weights, whose places are those of the definition.
  bool is_fused(const ops::AttentionMask& mask) const;
  /// What they compute: (B, T, H·V) or (N, H·V)
  torch::Tensor attend_fused(const torch::Tensor& x, const torch::Tensor& memory, ops::AttentionMask mask,
                             const AttentionPositions& positions);

  MultiHeadAttentionOptions options_;
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace transformer::nn

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
  std::int64_t query_width = 0;   ///< of what asks; 0: d_model, as wherever it is added to the result
  std::int64_t memory_width = 0;  ///< of what answers; 0: d_model
  std::int64_t heads = 8;
  std::int64_t d_k = 64;        ///< size of a head's queries and keys, independent of d_model / heads
  std::int64_t d_v = 64;        ///< size of a head's values
  bool bias = false;            ///< biases of the four projections; the paper's are pure matrices
  bool scale = true;            ///< scores are divided by √d_k
  double dropout = 0.0;         ///< on the attention weights; the paper has none
  variants::Part variant = {};  ///< in the place of scaled dot-product attention

  AttentionScore score = AttentionScore::product;
  std::int64_t kv_heads = 0;  ///< heads of keys and values, each for heads / kv_heads neighbours; 0: as many
                              ///< (multi-query: 1, Shazeer 2019; grouped, Ainslie et al. 2023)
  bool qk_norm =
      false;  ///< each head's queries and keys by the root of their mean square, before they are
              ///< turned, with a weight for each dimension (Henry et al. 2020, Dehghani et al. 2023)
  double norm_epsilon = 1e-5;

  // Of self-attention alone.
  std::int64_t window = 0;    ///< a query reaches so many positions to either side; 0: all (section 4)
  std::int64_t farthest = 0;  ///< learned vectors of distances up to this one are added to keys and values,
                              ///< the same for all heads (Shaw et al. 2018); 0: none

  std::int64_t heads_of_keys() const { return kv_heads == 0 ? heads : kv_heads; }
  std::int64_t width_of_queries() const { return query_width == 0 ? d_model : query_width; }
  std::int64_t width_of_memory() const { return memory_width == 0 ? d_model : memory_width; }
};

/// Those of a model's attention, as it stands in the encoder.
MultiHeadAttentionOptions attention_options(const models::ModelOptions& model);

/// The same for attention that stands elsewhere; a variant is told. Cross-attention knows no distances.
MultiHeadAttentionOptions in_role(MultiHeadAttentionOptions options, variants::Role role);

/// MultiHead(Q, K, V) = Concat(head_1 … head_h) W^O, head_i = Attention(Q W^Q_i, K W^K_i, V W^V_i).
/// The h projections of a kind are the rows of one matrix, and those of all kinds are one product.
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options);

  /// x: (B, T, D) asks, memory: (B, S, D) answers, each as wide as the options say, or both packed, (N, D)
  /// and (M, D), as the mask says.
  /// positions: of x and memory, which are the same then. → (B, T, D) or (N, D)
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory, const ops::AttentionMask& mask,
                        const AttentionPositions& positions = {});

  /// The projected memory, which a decoder computes once and keeps. memory: (B, S, D), at these positions
  KeyValue keys_and_values(const torch::Tensor& memory, const AttentionPositions& positions = {});

  /// Adds those of the next position of each row, x: (R, 1, D), to what a decoder remembers, and forgets what
  /// later ones do not reach.
  void extend(KeyValue& past, const torch::Tensor& x, const AttentionPositions& positions);

  /// Attention of x: (B, T, D), at these positions, over keys and values that are projected already.
  /// → (B, T, D)
  torch::Tensor attend(const torch::Tensor& x, const KeyValue& memory, const torch::Tensor& mask,
                       const AttentionPositions& positions = {});

  /// The weights that `attend` applies. → (B, H, T, S). Throws InputError where a variant attends that has
  /// none (weights_of_variant, variant_parts.h).
  torch::Tensor weights(const torch::Tensor& x, const KeyValue& memory, const torch::Tensor& mask,
                        const AttentionPositions& positions = {});

  /// The projection of the queries as attention is to read them: where scores are not to be divided by √d_k,
  /// which all ways of attending do, times √d_k; but not where a norm follows, which would take it away
  /// again. (H·K, D), and (H·K) or undefined
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

// A decoder's memory in a beam search whose hypotheses change places without being moved. The W hypotheses of
// a sentence lie side by side: each position has W columns of its own, and a mask says from which columns
// each hypothesis descends. So a step copies none of the memory, and needs nothing from the host: its
// position is data, too. LayerCache (kv_cache.h) is the plain form.
#pragma once

#include "transformer/nn/kv_cache.h"

namespace transformer::nn {

/// The memory of one decoder layer. Column t · W + w of `self` belongs to hypothesis w of a sentence at
/// position t. The keys are (B, H, C, K) and the values (B, H, C, V). The first `length` · W columns are in
/// use, and the others are numbers.
struct BeamLayerCache {
  KeyValue self;
  KeyValue source;           ///< per sentence: keys (B, H, S, K), values (B, H, S, V)
  torch::Tensor projection;  ///< (H · (2K + V), D), self-attention's three matrices in the products' type
  torch::Tensor projection_bias;  ///< or undefined
};

/// The memory for B sentences with W hypotheses each, after `length` target positions. It has room for P
/// positions, C = P · W columns.
struct BeamCache {
  std::vector<BeamLayerCache> layers;
  torch::Tensor visible;         ///< (B, 1, W, C), added to scores: 0 for ancestors' columns, else -infinity
  torch::Tensor source_visible;  ///< (B, 1, 1, S), likewise: 0 at real tokens
  torch::Tensor itself;          ///< (W, W), likewise: 0 on the diagonal

  // The next position:
  torch::Tensor position;      ///< (1)
  torch::Tensor columns;       ///< (W)
  torch::Tensor bias_columns;  ///< (C), of `bias`

  // For all positions. What a model does not have is undefined.
  torch::Tensor vectors;        ///< (P, D), added to embeddings
  torch::Tensor layer_vectors;  ///< (P, D), added before each layer
  torch::Tensor rotations;      ///< (P, 2, 1, d_k), as AttentionPositions::rotation
  /// (H, 1, 2 · C), added to scores: the bias of the last position with each key W times, then zeros.
  torch::Tensor bias;

  std::int64_t length = 0;

  std::int64_t sentences() const { return visible.size(0); }
  std::int64_t width() const { return visible.size(2); }
  std::int64_t positions() const { return visible.size(3) / width(); }

  /// Room for more positions, in other memory.
  void lengthen(std::int64_t positions);
  /// From now on hypothesis w of a sentence continues what was number parents[w] there. parents: (B, W)
  void follow(const torch::Tensor& parents);
  /// One position more is in use.
  void advance();
  /// Keeps the given sentences. rows: (R) indices.
  void select_sentences(const torch::Tensor& rows);
};

/// A step's inputs that all layers share.
struct BeamStep {
  torch::Tensor columns;         ///< (W), of `self`: this step's
  torch::Tensor visible;         ///< (B, 1 or H, W, C), added to self-attention's scores
  torch::Tensor source_visible;  ///< (B, 1, 1, S), added to cross-attention's
  torch::Tensor rotation;        ///< (2, 1, d_k), or undefined
};

/// The next larger number of columns that aligns the rows of a mask. Fused kernels for GPUs need alignment;
/// without it each layer would copy the mask.
std::int64_t rounded_columns(std::int64_t columns);

/// A boolean mask as numbers to add to scores: 0 for true, -infinity for false, with aligned rows. mask:
/// (…, S) → (…, S)
torch::Tensor added_mask(const torch::Tensor& mask, torch::ScalarType type);

}  // namespace transformer::nn

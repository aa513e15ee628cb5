// What a decoder remembers of a beam search whose hypotheses change places without being moved: W hypotheses
// of a sentence stand side by side, each position's in W columns of their own, and a mask says from which
// columns each of them descends. So a step neither copies what it remembers nor is told anything by the host
// but its number. LayerCache (kv_cache.h) is the plain form of the same.
#pragma once

#include "transformer/nn/kv_cache.h"

namespace transformer::nn {

/// One decoder layer's. What hypothesis w of a sentence had at position t is in column t · W + w of `self`:
/// keys (B, H, C, K), values (B, H, C, V), of which the first `length` · W columns are in use.
struct BeamLayerCache {
  KeyValue self;
  KeyValue source;           ///< one for each sentence: (B, H, S, K), (B, H, S, V)
  torch::Tensor projection;  ///< self-attention's three matrices as one, (H · (2K + V), D), in the type of
                             ///< the products
  torch::Tensor projection_bias;  ///< or undefined
};

/// Of B sentences, W hypotheses each, which have read `length` target positions.
struct BeamCache {
  std::vector<BeamLayerCache> layers;
  torch::Tensor visible;  ///< (B, 1, W, C), added to scores: 0 where a hypothesis descends from a column,
                          ///< else -infinity
  torch::Tensor source_visible;  ///< (B, 1, 1, S), likewise: 0 at real tokens
  torch::Tensor rotations;       ///< (L, 2, 1, d_k), as AttentionPositions::rotation; or undefined
  torch::Tensor bias;  ///< (H, 1, L · W + …), added to scores: of the last of L positions, each key W times,
                       ///< then zeros; or undefined
  std::int64_t longest = 0;  ///< L: so many positions there are at most
  std::int64_t length = 0;

  std::int64_t sentences() const { return visible.size(0); }
  std::int64_t width() const { return visible.size(2); }

  /// Makes room for this many positions.
  void reserve(std::int64_t positions);
  /// From now on hypothesis w of a sentence continues what was number parents[w] there. parents: (B, W)
  void follow(const torch::Tensor& parents);
  /// Keeps the given sentences. rows: (R) indices.
  void select_sentences(const torch::Tensor& rows);
};

/// What all layers are told of a step.
struct BeamStep {
  std::int64_t columns = 0;      ///< of `self` that are in use, the step's own among them
  torch::Tensor visible;         ///< (B, 1 or H, W, columns), added to self-attention's scores
  torch::Tensor source_visible;  ///< (B, 1, 1, S), added to cross-attention's
  torch::Tensor rotation;        ///< (2, 1, d_k), or undefined
};

/// The next number of columns with which rows of a mask are aligned, as fused kernels for GPUs want them:
/// others are copied by each layer.
std::int64_t rounded_columns(std::int64_t columns);

/// A boolean mask as what is added to scores: 0 where it is true, else -infinity, its rows aligned.
/// mask: (…, S) → (…, S)
torch::Tensor added_mask(const torch::Tensor& mask, torch::ScalarType type);

}  // namespace transformer::nn

// What self-attention is told of positions, where they do not enter with the embeddings (types.h).
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "transformer/nn/types.h"
#include "transformer/ops/sequences.h"

namespace transformer::nn {

/// At most one of them is defined.
struct AttentionPositions {
  torch::Tensor rotation =
      {};                   ///< (2, T, d_k), of packed ones (2, N, d_k): turns queries and keys (rotary.h)
  torch::Tensor bias = {};  ///< (H, T, S), fp32: added to the scaled scores
  /// (T, S): the row of each query's and key's distance among the vectors that attention adds to keys and
  /// values
  torch::Tensor distances = {};
};

struct RelativePositionsOptions {
  Positions positions = Positions::interleaved;
  std::int64_t heads = 8;
  std::int64_t d_k = 64;
  std::int64_t farthest = 16;  ///< of vectors of distances: what is farther counts as this far
  std::int64_t window = 0;     ///< how far back self-attention's memory reaches in decoding; 0: to the begin
  bool both_sides = true;      ///< whether a query also sees what stands behind it: an encoder's does
};

/// One for all layers of a stack. Where positions enter with the embeddings it gives nothing.
class RelativePositionsImpl : public torch::nn::Module {
 public:
  explicit RelativePositionsImpl(const RelativePositionsOptions& options);

  /// For whole sequences x: (B, T, D), or packed (N, D) as the mask says.
  AttentionPositions of(const torch::Tensor& x, const ops::AttentionMask& mask = {});

  /// For one query that stands at `position`, () or (1) as data, behind the keys 0 … position.
  /// keys: (…, position, K), those of the positions before it, or undefined for the first; only the last
  /// `window` of them count.
  AttentionPositions last(const torch::Tensor& position, const torch::Tensor& keys);

  /// For all steps of a decoder at once, which stand at 0, 1, … positions: (T). rotation: (2, T, d_k), a row
  /// for each; bias: (H, 1, T), that of the last; an earlier one is as far from its own last keys. Not for
  /// vectors of distances.
  AttentionPositions steps(const torch::Tensor& positions);

  torch::Tensor weight;  ///< (buckets, H): a bias for each bucket of distances (kernels/relative_bucket.h),
                         ///< or undefined: not all biases are learned

 private:
  torch::Tensor distance_rows(const torch::Tensor& queries, const torch::Tensor& keys) const;
  torch::Tensor bias_of(const torch::Tensor& queries, const torch::Tensor& keys);

  RelativePositionsOptions options_;
};
TORCH_MODULE(RelativePositions);

}  // namespace transformer::nn

// Positions that enter self-attention rather than the embeddings (types.h).
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "transformer/nn/types.h"
#include "transformer/ops/sequences.h"

namespace transformer::nn {

/// At most one of them is defined.
struct AttentionPositions {
  torch::Tensor rotation = {};  ///< (2, T, d_k), packed (2, N, d_k): rotates queries and keys (rotary.h)
  torch::Tensor bias = {};      ///< (H, T, S), fp32: added to the scaled scores
  /// (T, S): for each query and key the row of their distance, in the vectors that attention adds to keys and
  /// values.
  torch::Tensor distances = {};
};

struct RelativePositionsOptions {
  Positions positions = Positions::interleaved;
  std::int64_t heads = 8;
  std::int64_t d_k = 64;
  std::int64_t farthest = 16;  ///< with vectors of distances: larger distances count as this one
  std::int64_t window = 0;     ///< how far back self-attention reaches in decoding; 0: to the begin
  double rotary_base = 10000;  ///< of rotary positions (ops::rotation_at)
  bool both_sides = true;      ///< whether a query also sees positions behind it, as in an encoder
};

/// One for all layers of a stack. It gives nothing if positions enter with the embeddings.
class RelativePositionsImpl : public torch::nn::Module {
 public:
  explicit RelativePositionsImpl(const RelativePositionsOptions& options);

  /// For whole sequences x: (B, T, D), or packed (N, D) as the mask says.
  AttentionPositions of(const torch::Tensor& x, const ops::AttentionMask& mask = {});

  /// For one query at `position`, () or (1) as data, over the keys 0 … position. keys: (…, position, K),
  /// those of the positions before it; undefined for the first query. Only the last `window` of them count.
  AttentionPositions last(const torch::Tensor& position, const torch::Tensor& keys);

  /// For all steps of a decoder at once, at positions 0, 1, …: (T). rotation: (2, T, d_k), a row for each
  /// step. bias: (H, 1, T), the row of the last step. An earlier step uses the end of that row, since its
  /// last keys have the same distances. Not for vectors of distances.
  AttentionPositions steps(const torch::Tensor& positions);

  torch::Tensor weight;  ///< (buckets, H) or undefined: learned biases (kernels/relative_bucket.h)

 private:
  torch::Tensor distance_rows(const torch::Tensor& queries, const torch::Tensor& keys) const;
  torch::Tensor bias_of(const torch::Tensor& queries, const torch::Tensor& keys);

  RelativePositionsOptions options_;
};
TORCH_MODULE(RelativePositions);

}  // namespace transformer::nn

// Section 3.5: positional encoding.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "transformer/nn/types.h"
#include "transformer/nn/variant_parts.h"
#include "transformer/ops/sequences.h"

namespace transformer::nn {

/// The fixed sinusoids of positions 0 … length - 1 in one of the three layouts. → (length, d_model), fp32
torch::Tensor sinusoids(Positions positions, std::int64_t length, std::int64_t d_model);
/// The same of any places, (T) → (T, d_model)
torch::Tensor sinusoids_at(Positions positions, const torch::Tensor& places, std::int64_t d_model);

/// Adds a vector for each position: a sinusoid of any length, a learned vector up to a maximum, or what a
/// variant gives. Positions that do not enter with the embeddings add nothing here (relative_positions.h).
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  /// max_positions: the longest sequence that learned positions can hold; ignored by the sinusoids.
  /// A variant takes the place of the vectors.
  PositionalEncodingImpl(Positions positions, std::int64_t d_model, std::int64_t max_positions,
                         const variants::Part& variant = {});

  /// x: (B, T, D), whose first position is number `first`. → (B, T, D)
  /// Throws InputError when learned positions are too few.
  torch::Tensor forward(const torch::Tensor& x, std::int64_t first = 0);

  /// The same for packed sequences. x: (N, D) → (N, D)
  torch::Tensor packed(const torch::Tensor& x, const ops::Sequences& sequences);

  /// Whichever of the two the mask says. x: (B, T, D) or (N, D) → as x
  torch::Tensor in(const torch::Tensor& x, const ops::AttentionMask& mask) {
    return mask.is_packed() ? packed(x, *mask.queries) : forward(x);
  }

  /// The same for positions that are data: (T), or () for all of x. Learned ones must be less than
  /// max_positions.
  torch::Tensor at(const torch::Tensor& x, const torch::Tensor& positions);

  /// What is added to x, for whoever adds it several times. No variant's. → (T, D), or (N, D) where x is
  /// packed
  torch::Tensor vectors_of(const torch::Tensor& x, const ops::AttentionMask& mask) {
    return mask.is_packed() ? vectors_packed(x, *mask.queries) : vectors(x, 0);
  }
  /// The same of positions that are data: (T) → (T, D), or () → (D)
  torch::Tensor vectors_at(const torch::Tensor& positions) const;

  /// The vectors of positions 0 … count - 1, of learned ones as many as there are: (count, D) of this type
  /// and device. Undefined where none is added, or by a variant.
  torch::Tensor table(std::int64_t count, const torch::TensorOptions& options);

  torch::Tensor weight;  ///< (max_positions, D); undefined for sinusoids
  std::shared_ptr<PositionsVariant> variant;

 private:
  torch::Tensor vectors(const torch::Tensor& x, std::int64_t first);
  torch::Tensor vectors_packed(const torch::Tensor& x, const ops::Sequences& sequences);
  torch::Tensor rows(std::int64_t end, const torch::Device& device);

  Positions positions_;
  std::int64_t d_model_;
  torch::Tensor table_;                  // sinusoids computed so far
  std::vector<torch::Tensor> outgrown_;  // of devices: graphs may still read them (gpu/graph.h)
};
TORCH_MODULE(PositionalEncoding);

}  // namespace transformer::nn

// Muon (Jordan et al. 2024): orthogonal steps for the matrices of hidden layers, AdamW's for the rest.
#pragma once

#include <string_view>
#include <unordered_set>

#include "transformer/train/optimizers/adam.h"

namespace transformer::train {

/// Whether Muon makes the step of a parameter itself. It does for a matrix that LibTorch's linear and
/// recurrent layers would name so: the last part of its name begins with "weight". It leaves embeddings,
/// positions and the output projection to AdamW: names that contain "embedding" or "positions" or begin with
/// "output". A matrix that packs several, as the gates of an LSTM, is one matrix.
bool is_hidden_matrix(std::string_view name, std::int64_t dimensions);

/// About U Vᵀ of a matrix U S Vᵀ, (R, C) or (N, R, C): five steps of a Newton-Schulz iteration bring its
/// singular values to between 0.7 and 1.2. A matrix of zeros stays one. The iteration's products have the
/// precision of a surrounding runtime::PrecisionScope.
torch::Tensor orthogonalized(const torch::Tensor& matrices);

/// The step of a hidden matrix of shape (R, C), with train.muon_momentum μ and a decoupled weight decay λ:
///     m ← μ m + g,    w ← (1 − rate · λ) w − rate · 0.2 √max(R, C) · orthogonalized(g + μ m).
/// The factor 0.2 √max(R, C) gives the step the root mean square of a usual step of AdamW (Liu et al. 2025),
/// so that one schedule and one decay serve both. The m and v of all other parameters are Adam's. The v of a
/// hidden matrix stays zero: every optimiser keeps the same for all parameters.
class Muon : public Adam {
 public:
  /// Says in the log which matrices AdamW steps.
  Muon(const NamedTensors& parameters, const TrainOptions& options);

 protected:
  void step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                  const GradientUse& use) override;

 private:
  /// Of hidden matrices of one shape.
  void step_matrices(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                     const GradientUse& use) const;

  double momentum_;
  std::unordered_set<const torch::TensorImpl*> hidden_;
};

}  // namespace transformer::train

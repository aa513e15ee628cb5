// Layer normalisation (sections 3.1 and 5.4) and what may stand in its place.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "transformer/nn/types.h"
#include "transformer/nn/variant_parts.h"

namespace transformer::nn {

struct NormOptions {
  std::int64_t d_model = 512;
  double epsilon = 1e-5;  ///< added to the variance, or to the mean of squares
  NormKind kind = NormKind::layer;
  variants::Part variant = {};  ///< in the place of all of it
};

/// layer: (x - mean) / √(variance + ε) · weight + bias, over the last dimension of x: (…, D).
///
/// rms (Zhang and Sennrich 2019): x / √(mean of squares + ε) · weight.
///
/// none: x.
///
/// batch (Ioffe and Szegedy 2015): the formula of `layer`, but with mean and variance of each feature. In
/// training these are over all positions of the batch, else moving averages from training. In training each
/// position depends on all others, even later ones. Padding would count, too, so training takes only packed
/// sequences.
class NormImpl : public torch::nn::Module {
 public:
  explicit NormImpl(const NormOptions& options);

  /// → (…, D), in the type of x. Throws c10::Error for padded sequences, (B, T, D), where a batch normalises
  /// in training.
  torch::Tensor forward(const torch::Tensor& x);

  /// Whether it is the paper's, which fused operations know.
  bool is_layer_norm() const;

  /// Weights are 1, biases 0; of no statistics the mean is 0 and the variance 1.
  void reset_parameters();

  /// The averages go a tenth of the way to what the last forward pass in training measured, unless that is
  /// useless: () on their device, 1 or 0.
  void keep_statistics(const torch::Tensor& useless);

  torch::Tensor weight, bias;    ///< (D), where there are such
  torch::Tensor mean, variance;  ///< (D), moving averages without gradients, where a batch normalises
  std::shared_ptr<NormVariant> variant;

 private:
  torch::Tensor normalised_by_batch(const torch::Tensor& x);

  NormOptions options_;
  torch::Tensor seen_mean_, seen_variance_;  ///< (D), of the last forward pass in training
};
TORCH_MODULE(Norm);

/// The same for all norms of a model, after an update.
void keep_statistics(torch::nn::Module& model, const torch::Tensor& useless);

}  // namespace transformer::nn

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

/// LayerNorm(x) = (x - mean) / √(variance + ε) · weight + bias, over the last dimension of x: (…, D). rms: x
/// / √(mean of squares + ε) · weight (Zhang and Sennrich 2019). none: x.
class NormImpl : public torch::nn::Module {
 public:
  explicit NormImpl(const NormOptions& options);

  /// → (…, D), in the type of x
  torch::Tensor forward(const torch::Tensor& x);

  /// Whether it is the paper's, which fused operations know.
  bool is_layer_norm() const;

  /// Weights are 1, biases 0.
  void reset_parameters();

  torch::Tensor weight, bias;  ///< (D), where there are such
  std::shared_ptr<NormVariant> variant;

 private:
  NormOptions options_;
};
TORCH_MODULE(Norm);

}  // namespace transformer::nn

// Sections 3.1 and 5.4: the residual connection around each sublayer, with dropout and layer normalisation.
#pragma once

#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include "transformer/nn/device.h"
#include "transformer/nn/dropout.h"
#include "transformer/nn/types.h"
#include "transformer/nn/variant_parts.h"

namespace transformer::nn {

struct ResidualNormOptions {
  std::int64_t d_model = 512;
  double dropout = 0.1;  ///< on the sublayer's output, before it is added
  NormPlacement norm = NormPlacement::post;
  double norm_epsilon = 1e-5;
  variants::Part variant = {};  ///< in the place of layer normalisation
};

inline torch::nn::LayerNorm layer_norm(std::int64_t d_model, double epsilon,
                                       const variants::Part& variant = {}) {
  return make_norm(d_model, epsilon, variant);
}

/// norm(x + Dropout(z)), x and z: (…, D) of one type. In one pass over memory where there are kernels for it;
/// `reference_residual_norm` spells it out.
torch::Tensor residual_norm(const torch::Tensor& x, const torch::Tensor& z, torch::nn::LayerNorm& norm,
                            double dropout);
torch::Tensor reference_residual_norm(const torch::Tensor& x, const torch::Tensor& z,
                                      torch::nn::LayerNorm& norm, double dropout);

/// post: LayerNorm(x + Dropout(sublayer(x))), the paper's. pre: x + Dropout(sublayer(LayerNorm(x))).
class ResidualNormImpl : public torch::nn::Module {
 public:
  explicit ResidualNormImpl(const ResidualNormOptions& options) : options_(options) {
    norm = register_module("norm", layer_norm(options.d_model, options.norm_epsilon, options.variant));
  }

  /// x: (B, T, D); sublayer: a callable of (B, T, D) → (B, T, D)
  template <typename Sublayer>
  torch::Tensor forward(const torch::Tensor& x, Sublayer&& sublayer) {
    const double dropout = is_training() ? options_.dropout : 0.0;
    if (norm_comes_first(options_.norm))
      return x + nn::dropout(sublayer(in_compute_type(normalize(norm, x))), dropout, true);
    return residual_norm(x, sublayer(x), norm, dropout);
  }

  torch::nn::LayerNorm norm{nullptr};

 private:
  ResidualNormOptions options_;
};
TORCH_MODULE(ResidualNorm);

}  // namespace transformer::nn

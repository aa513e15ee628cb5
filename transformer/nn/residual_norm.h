// Sections 3.1 and 5.4: the residual connection around each sublayer, with dropout and layer normalisation.
#pragma once

#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include "transformer/nn/layer_order.h"
#include "transformer/nn/types.h"
#include "transformer/nn/variant_parts.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/residual_norm.h"
#include "transformer/runtime/device.h"

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

/// Activations on their way through modules: a Stream of layer_order.h. Norm: a ResidualNorm, or in `normed`
/// the LayerNorm at the end of a stack.
struct ModuleStream {
  torch::Tensor x;  ///< (…, D)

  torch::Tensor value() const { return x; }
  template <typename Norm>
  torch::Tensor normed(Norm& norm) const {
    return norm->normed(x);
  }
  torch::Tensor normed(torch::nn::LayerNorm& norm) const {
    return runtime::in_compute_type(normalize(norm, x));
  }
  template <typename Norm>
  void add(const torch::Tensor& z, Norm& norm) {
    x = norm->add(x, z);
  }
  template <typename Norm>
  void add_and_norm(const torch::Tensor& z, Norm& norm) {
    x = norm->add_and_norm(x, z);
  }
};

/// The residual connection around a sublayer, whose parts layer_order.h puts in their order.
class ResidualNormImpl : public torch::nn::Module {
 public:
  explicit ResidualNormImpl(const ResidualNormOptions& options) : options_(options) {
    norm = register_module("norm", layer_norm(options.d_model, options.norm_epsilon, options.variant));
  }

  /// All of it. x: (B, T, D); sublayer: a callable of (B, T, D) → (B, T, D)
  template <typename Sublayer>
  torch::Tensor forward(const torch::Tensor& x, Sublayer&& sublayer) {
    ModuleStream stream{x};
    auto* own = this;
    residual(options_.norm, stream, own, sublayer);
    return stream.x;
  }

  /// LayerNorm(x), in the type of the products.
  torch::Tensor normed(const torch::Tensor& x) { return runtime::in_compute_type(normalize(norm, x)); }
  /// x + Dropout(z)
  torch::Tensor add(const torch::Tensor& x, const torch::Tensor& z) {
    return x + ops::dropout(z, dropout(), true);
  }
  /// LayerNorm(x + Dropout(z))
  torch::Tensor add_and_norm(const torch::Tensor& x, const torch::Tensor& z) {
    if (is_variant(norm)) return normalize(norm, add(x, z));
    return ops::residual_norm(x, z, norm->weight, norm->bias, options_.norm_epsilon, dropout());
  }

  torch::nn::LayerNorm norm{nullptr};

 private:
  double dropout() const { return is_training() ? options_.dropout : 0.0; }

  ResidualNormOptions options_;
};
TORCH_MODULE(ResidualNorm);

}  // namespace transformer::nn

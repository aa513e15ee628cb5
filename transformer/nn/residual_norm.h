// Sections 3.1 and 5.4: the residual connection around each sublayer, with dropout and layer normalisation.
#pragma once

#include "transformer/models/options.h"
#include "transformer/nn/layer_order.h"
#include "transformer/nn/norm.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/residual_norm.h"
#include "transformer/runtime/device.h"

namespace transformer::nn {

struct ResidualNormOptions {
  std::int64_t d_model = 512;
  double dropout = 0.1;  ///< on the sublayer's output, before it is added
  NormPlacement norm = NormPlacement::post;
  bool residual = true;  ///< false: a sublayer's result takes the place of x
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = 1e-5;
  variants::Part variant = {};  ///< in the place of normalisation
};

/// Those of a model's.
inline ResidualNormOptions residual_options(const models::ModelOptions& o) {
  return {.d_model = o.d_model,
          .dropout = o.dropout,
          .norm = o.norm,
          .residual = o.residual,
          .norm_kind = o.norm_type,
          .norm_epsilon = o.norm_epsilon,
          .variant = {o.variants.norm, models::place_of(o)}};
}

/// A norm of these residual connections.
inline Norm norm_of(const ResidualNormOptions& options) {
  return Norm(NormOptions{.d_model = options.d_model,
                          .epsilon = options.norm_epsilon,
                          .kind = options.norm_kind,
                          .variant = options.variant});
}

/// Activations on their way through modules: a Stream of layer_order.h. Norm: a ResidualNorm, or in `normed`
/// the Norm at the end of a stack.
struct ModuleStream {
  torch::Tensor x;  ///< (…, D)

  torch::Tensor value() const { return runtime::in_compute_type(x); }
  template <typename Norm>
  torch::Tensor normed(Norm& norm) const {
    return norm->normed(x);
  }
  torch::Tensor normed(Norm& norm) const { return runtime::in_compute_type(norm(x)); }
  static torch::Tensor sum(const torch::Tensor& a, const torch::Tensor& b) { return a + b; }
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
    norm = register_module("norm", norm_of(options));
    if (norm_comes_twice(options.norm)) norm_of_result = register_module("norm_of_result", norm_of(options));
  }

  /// The whole connection. x: (B, T, D). sublayer: a function of (B, T, D) → (B, T, D)
  template <typename Sublayer>
  torch::Tensor forward(const torch::Tensor& x, Sublayer&& sublayer) {
    ModuleStream stream{x};
    auto* own = this;
    residual(options_.norm, stream, own, sublayer);
    return stream.x;
  }

  /// LayerNorm(x), in the type of the products.
  torch::Tensor normed(const torch::Tensor& x) { return runtime::in_compute_type(norm(x)); }
  /// x + Dropout(z), where z is normalised first if that comes twice
  torch::Tensor add(const torch::Tensor& x, const torch::Tensor& z) {
    const auto dropped = ops::dropout(norm_of_result.is_empty() ? z : norm_of_result(z), dropout(), true);
    return options_.residual ? x + dropped : dropped;
  }
  /// LayerNorm(x + Dropout(z))
  torch::Tensor add_and_norm(const torch::Tensor& x, const torch::Tensor& z) {
    if (!norm->is_layer_norm() || !options_.residual) return norm(add(x, z));
    return ops::residual_norm(x, z, norm->weight, norm->bias, options_.norm_epsilon, dropout());
  }

  Norm norm{nullptr};
  Norm norm_of_result{nullptr};  ///< where norms come twice

 private:
  double dropout() const { return is_training() ? options_.dropout : 0.0; }

  ResidualNormOptions options_;
};
TORCH_MODULE(ResidualNorm);

}  // namespace transformer::nn

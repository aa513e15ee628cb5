#include "transformer/nn/feed_forward.h"

#include "transformer/nn/bias.h"
#include "transformer/nn/cpu_kernels.h"
#include "transformer/nn/dropout.h"
#include "transformer/nn/linear.h"
#include "transformer/nn/once_differentiable.h"
#include "transformer/nn/product.h"

namespace transformer::nn {
namespace {

torch::Tensor activate(const torch::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return torch::relu(x);
    case Activation::gelu:
      return torch::gelu(x);
    case Activation::swish:
      return torch::silu(x);
  }
  no_such_choice();
}

/// Whether its gradient can be told from its result, which is what CpuFeedForward keeps.
bool has_kernel(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return true;
    case Activation::gelu:
    case Activation::swish:
      return false;
  }
  no_such_choice();
}

/// max(0, x W1 + b1) W2 + b2, without tensors that only an activation or a bias would need. Weights and
/// biases are fp32.
class CpuFeedForward : public OnceDifferentiable<CpuFeedForward> {
 public:
  static constexpr const char* kName = "nn::FeedForward";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& inner, const torch::Tensor& inner_bias,
                               const torch::Tensor& outer, const torch::Tensor& outer_bias) {
    const auto rows = x.contiguous().view({-1, x.size(-1)});
    const auto w1 = inner.to(x.scalar_type()), w2 = outer.to(x.scalar_type());
    const auto hidden = product(rows, w1.t());
    add_bias(hidden, inner_bias, /*relu=*/true);
    const auto y = product(hidden, w2.t());
    add_bias(y, outer_bias, /*relu=*/false);
    context->save_for_backward({rows, hidden, w1, w2});
    return y.view_as(x);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &hidden = saved[1], &w1 = saved[2], &w2 = saved[3];
    const auto y_gradient = received[0].contiguous().view({-1, received[0].size(-1)});
    const auto outer = product_over_rows(y_gradient, hidden), outer_bias = bias_gradient(y_gradient);
    const auto hidden_gradient = product(y_gradient, w2);
    const auto inner_bias = bias_gradient(hidden_gradient, hidden);
    const auto inner = product_over_rows(hidden_gradient, rows);
    return {product(hidden_gradient, w1).view_as(received[0]), inner, inner_bias, outer, outer_bias};
  }
};

}  // namespace

FeedForwardImpl::FeedForwardImpl(const FeedForwardOptions& options) : options_(options) {
  if (options.variant.choice) {
    variant = register_module("variant", make_variant<FeedForwardVariant>(options.variant));
    return;
  }
  inner = register_module("inner", torch::nn::Linear(options.d_model, options.d_ff));
  outer = register_module("outer", torch::nn::Linear(options.d_ff, options.d_model));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  if (variant) return apply_variant(*variant, x);
  const bool plain = has_kernel(options_.activation) && (options_.dropout == 0.0 || !is_training());
  if (plain && has_kernels(x) && x.numel() > 0 && inner->bias.scalar_type() == torch::kFloat)
    return CpuFeedForward::apply(x, inner->weight, inner->bias, outer->weight, outer->bias);
  return reference(x);
}

torch::Tensor FeedForwardImpl::reference(const torch::Tensor& x) {
  if (variant) return apply_variant(*variant, x);
  const auto hidden = activate(nn::linear(x, inner->weight, inner->bias), options_.activation);
  return nn::linear(nn::dropout(hidden, options_.dropout, is_training()), outer->weight, outer->bias);
}

}  // namespace transformer::nn

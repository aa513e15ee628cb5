#include "transformer/ops/linear.h"

#include "transformer/ops/bias.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/runtime/product.h"

namespace transformer::ops {
namespace {

/// x in bf16; weight and bias in fp32, and so are their gradients.
class CpuLinear : public OnceDifferentiable<CpuLinear> {
 public:
  static constexpr const char* kName = "ops::linear";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& weight, const std::optional<torch::Tensor>& bias) {
    const auto rows = x.contiguous().view({-1, x.size(-1)});
    const auto working = weight.to(x.scalar_type());
    const auto y = linear_rows(rows, working, bias.value_or(torch::Tensor()));
    context->save_for_backward({rows, working});
    context->saved_data["bias"] = bias.has_value();
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    return y.view(shape);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &working = saved[1];
    const auto gradient = received[0].contiguous().view({-1, received[0].size(-1)});
    auto shape = received[0].sizes().vec();
    shape.back() = rows.size(1);
    const auto found =
        linear_gradients(gradient, rows, working,
                         {.x = context->needs_input_grad(0), .bias = context->saved_data["bias"].toBool()});
    return {found.x.defined() ? found.x.view(shape) : found.x, found.weight, found.bias};
  }
};

}  // namespace

torch::Tensor linear_rows(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          bool relu) {
  const auto y = runtime::product(x, weight.t());
  if (bias.defined()) add_bias(y, bias, relu);
  return y;
}

LinearGradients linear_gradients(const torch::Tensor& gradient, const torch::Tensor& x,
                                 const torch::Tensor& weight, const LinearBackward& asked) {
  LinearGradients found;
  if (asked.bias) found.bias = bias_gradient(gradient, asked.relu_output);  // and that through ReLU
  found.weight = runtime::product_over_rows(gradient, x);
  if (asked.x) found.x = runtime::product(gradient, weight);
  return found;
}

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const bool mixed =
      x.is_cpu() && x.scalar_type() == torch::kBFloat16 && weight.scalar_type() == torch::kFloat;
  if (!mixed) return torch::linear(x, weight, bias);  // on CUDA autocast converts both sides
  return CpuLinear::apply(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
}

torch::Tensor joint_linear(const torch::Tensor& x, at::TensorList weights, at::TensorList biases) {
  return ops::linear(x, torch::cat(weights), biases.front().defined() ? torch::cat(biases) : torch::Tensor());
}

}  // namespace transformer::ops

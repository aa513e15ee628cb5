#include "transformer/ops/linear.h"

#include "transformer/ops/bias.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/device_relu.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/working_weights.h"
#include "transformer/runtime/product.h"

namespace transformer::ops {
namespace {

/// One matrix or several, as one product; weights and biases in fp32, and so are their gradients.
class Linear : public OnceDifferentiable<Linear> {
 public:
  static constexpr const char* kName = "ops::linear";

  /// biases: as many as weights, or none
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const at::TensorList& weights, const at::TensorList& biases) {
    const auto rows = x.contiguous().view({-1, x.size(-1)});
    const auto weight = working(weights, x.scalar_type());
    const auto y = linear_rows(rows, weight, biases.empty() ? torch::Tensor() : working_bias(biases, x));
    std::vector<std::int64_t> sizes;
    for (const auto& part : weights) sizes.push_back(part.size(0));
    context->save_for_backward({rows, weight});
    context->saved_data["sizes"] = sizes;
    context->saved_data["bias"] = !biases.empty();
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    return y.view(shape);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto &rows = saved[0], &weight = saved[1];
    const auto gradient = received[0].contiguous().view({-1, received[0].size(-1)});
    auto shape = received[0].sizes().vec();
    shape.back() = rows.size(1);
    const auto found =
        linear_gradients(gradient, rows, weight,
                         {.x = context->needs_input_grad(0), .bias = context->saved_data["bias"].toBool()});
    torch::autograd::variable_list gradients{found.x.defined() ? found.x.view(shape) : found.x};
    const auto sizes = context->saved_data["sizes"].toIntVector();
    for (const auto& all : {found.weight, found.bias}) {
      if (!all.defined()) continue;
      const auto parts = all.split_with_sizes(sizes);
      gradients.insert(gradients.end(), parts.begin(), parts.end());
    }
    return gradients;
  }
};

}  // namespace

torch::Tensor working_bias(at::TensorList biases, const torch::Tensor& x) {
  return working(biases, x.is_cpu() ? torch::kFloat : x.scalar_type());
}

torch::Tensor linear_rows(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                          bool relu) {
  if (!bias.defined()) return runtime::product(x, weight.t());
  if (!x.is_cpu())
    return relu ? at::_addmm_activation(bias, x, weight.t()) : torch::addmm(bias, x, weight.t());
  auto y = runtime::product(x, weight.t());
  add_bias(y, bias, relu);
  return y;
}

/// The gradient of the bias, in fp32, and in place that before the ReLU, where there was one.
torch::Tensor bias_and_relu_gradient(const torch::Tensor& gradient, const torch::Tensor& relu_output) {
  if (gradient.is_cpu()) return bias_gradient(gradient, relu_output);
  if (relu_output.defined()) return device_relu_gradient(gradient, relu_output);
  return gradient.sum(0, /*keepdim=*/false, torch::kFloat);
}

LinearGradients linear_gradients(const torch::Tensor& gradient, const torch::Tensor& x,
                                 const torch::Tensor& weight, const LinearBackward& asked) {
  LinearGradients found;
  if (asked.bias) found.bias = bias_and_relu_gradient(gradient, asked.relu_output);
  found.weight = runtime::product_over_rows(gradient, x);
  if (asked.x) found.x = runtime::product(gradient, weight);
  return found;
}

torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  const bool mixed =
      has_functions(x) && x.scalar_type() != torch::kFloat && weight.scalar_type() == torch::kFloat;
  if (!mixed || x.numel() == 0)
    return torch::linear(x, weight.to(x.scalar_type()), bias.defined() ? bias.to(x.scalar_type()) : bias);
  return Linear::apply(x, at::TensorList(weight), bias.defined() ? at::TensorList(bias) : at::TensorList());
}

torch::Tensor joint_linear(const torch::Tensor& x, at::TensorList weights, at::TensorList biases) {
  const bool biased = biases.front().defined();
  if (!has_functions(x) || x.numel() == 0 || weights.front().scalar_type() != torch::kFloat)
    return linear(x, torch::cat(weights), biased ? torch::cat(biases) : torch::Tensor());
  return Linear::apply(x, weights, biased ? biases : at::TensorList());
}

}  // namespace transformer::ops

#include "transformer/ops/residual_norm.h"

#include "transformer/kernels/residual_norm.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/device_residual_norm.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::ops {
namespace {

/// (…, D) as rows, one after another.
torch::Tensor rows_of(const torch::Tensor& x) {
  return x.contiguous().view({-1, x.size(-1)});
}

class CpuResidualNorm : public OnceDifferentiable<CpuResidualNorm> {
 public:
  static constexpr const char* kName = "ops::residual_norm";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& z, const torch::Tensor& weight, const torch::Tensor& bias,
                               double epsilon, double p) {
    const auto x_rows = rows_of(x), z_rows = rows_of(z);
    const auto rows = x_rows.size(0), width = x_rows.size(1);
    auto sum = torch::empty_like(x_rows), y = torch::empty_like(x_rows);
    auto mean = torch::empty({rows}), inverse = torch::empty({rows});
    const auto seeds = draw_row_seeds(z, p);
    const auto mask = dropout_mask(p, seeds);
    with_type_of(x_rows, [&](auto type) {
      using T = decltype(type);
      parallel_rows(rows, [&](std::int64_t begin, std::int64_t end) {
        const kernels::ResidualNorm<T> part{.begin = begin,
                                            .end = end,
                                            .width = width,
                                            .stride = width,
                                            .epsilon = static_cast<float>(epsilon),
                                            .mask = mask,
                                            .weight = weight.data_ptr<float>(),
                                            .bias = bias.data_ptr<float>(),
                                            .x = kernel_data<T>(x_rows),
                                            .z = kernel_data<T>(z_rows),
                                            .sum = kernel_data<T>(sum),
                                            .mean = mean.data_ptr<float>(),
                                            .inverse = inverse.data_ptr<float>(),
                                            .y = kernel_data<T>(y)};
        run_kernel(kernels::residual_norm().forward, kernels::residual_norm().forward_bf16, part);
      });
    });
    context->save_for_backward({sum, mean, inverse, weight, seeds});
    context->saved_data["p"] = p;
    return y.view(x.sizes());
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto &sum = saved[0], &mean = saved[1], &inverse = saved[2], &weight = saved[3];
    const auto rows = sum.size(0), width = sum.size(1);
    const auto y_gradient = rows_of(received[0]);
    const double p = context->saved_data["p"].toDouble();
    const auto mask = dropout_mask(p, saved[4]);
    auto x_gradient = torch::empty_like(sum);
    auto z_gradient = p > 0 ? torch::empty_like(sum) : x_gradient;
    torch::Tensor sums;  // of weight and bias
    with_type_of(sum, [&](auto type) {
      using T = decltype(type);
      sums = sum_over_blocks(rows, 2, width, [&](std::int64_t begin, std::int64_t end, float* own) {
        const kernels::ResidualNormBackward<T> part{.begin = begin,
                                                    .end = end,
                                                    .width = width,
                                                    .mask = mask,
                                                    .weight = weight.data_ptr<float>(),
                                                    .sum = kernel_data<T>(sum),
                                                    .mean = mean.data_ptr<float>(),
                                                    .inverse = inverse.data_ptr<float>(),
                                                    .y_gradient = kernel_data<T>(y_gradient),
                                                    .x_gradient = kernel_data<T>(x_gradient),
                                                    .z_gradient = kernel_data<T>(z_gradient),
                                                    .weight_gradient = own,
                                                    .bias_gradient = own + width};
        run_kernel(kernels::residual_norm().backward, kernels::residual_norm().backward_bf16, part);
      });
    });
    const auto shape = received[0].sizes();
    return {x_gradient.view(shape), z_gradient.view(shape), sums[0], sums[1], {}, {}};
  }
};

}  // namespace

torch::Tensor residual_norm(const torch::Tensor& x, const torch::Tensor& z, const torch::Tensor& weight,
                            const torch::Tensor& bias, double epsilon, double dropout) {
  const bool alike = has_functions(x) && z.scalar_type() == x.scalar_type() && z.sizes() == x.sizes() &&
                     weight.scalar_type() == torch::kFloat;
  if (!alike || x.numel() == 0) return reference_residual_norm(x, z, weight, bias, epsilon, dropout);
  if (!x.is_cpu()) return device_residual_norm(x, z, weight, bias, epsilon, dropout);
  return CpuResidualNorm::apply(x, z, weight, bias, epsilon, dropout);
}

torch::Tensor reference_residual_norm(const torch::Tensor& x, const torch::Tensor& z,
                                      const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                                      double dropout) {
  return torch::layer_norm(x + ops::dropout(z, dropout, true), {x.size(-1)}, weight, bias, epsilon);
}

}  // namespace transformer::ops

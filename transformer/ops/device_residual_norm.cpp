#include "transformer/ops/device_residual_norm.h"

#include <optional>

#include "transformer/gpu/kernel.h"
#include "transformer/gpu/source/residual_norm.h"
#include "transformer/ops/device_mask.h"
#include "transformer/ops/if_defined.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/residual_norm.h"
#include "transformer/ops/working_weights.h"

namespace transformer::gpu {
std::string_view residual_norm_text();
}

namespace transformer::ops {
namespace {

class DeviceResidualNorm : public OnceDifferentiable<DeviceResidualNorm> {
 public:
  static constexpr const char* kName = "ops::residual_norm on a device";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& z, const torch::Tensor& weight, const torch::Tensor& bias,
                               double epsilon, double p) {
    torch::Tensor dropped = z, mask;
    if (p > 0) std::tie(dropped, mask) = at::native_dropout(z, p, /*train=*/true);
    const auto sum = x + dropped;
    const auto w = working(weight, x.scalar_type()), b = working(bias, x.scalar_type());
    const auto [y, mean, inverse] = at::native_layer_norm(sum, {x.size(-1)}, w, b, epsilon);
    context->save_for_backward({sum, mean, inverse, w, b, mask});
    context->saved_data["p"] = p;
    return y;
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto& sum = saved[0];
    const double p = context->saved_data["p"].toDouble();
    const auto [x, weight, bias] =
        at::native_layer_norm_backward(received[0].contiguous(), sum, {sum.size(-1)}, saved[1], saved[2],
                                       saved[3], saved[4], {true, true, true});
    return {x,
            p > 0 ? at::native_dropout_backward(x, saved[5], 1 / (1 - p)) : x,
            weight.to(torch::kFloat),
            bias.to(torch::kFloat),
            {},
            {}};
  }
};

const gpu::Kernels* residual_norm_kernels(const torch::Device& device);

/// What the backward pass needs of the forward one.
struct NormedSum {
  torch::Tensor sum, mean, inverse, y;  // (N, D), (N), (N), (N, D)
};

template <typename T>
T* pointer(const torch::Tensor& x) {
  return x.defined() ? static_cast<T*>(x.data_ptr()) : nullptr;
}

/// x, z: (N, D), contiguous
NormedSum normed_sum(const gpu::Kernels& kernels, const torch::Tensor& x, const torch::Tensor& z,
                     const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                     const DeviceMask& mask) {
  const auto numbers = torch::empty({2, x.size(0)}, x.options().dtype(torch::kFloat));
  NormedSum normed{torch::empty_like(x), numbers[0], numbers[1], torch::empty_like(x)};
  gpu::with_gpu_type(x.scalar_type(), [&](auto type) {
    using T = decltype(type);
    kernels.launch<gpu::ResidualNorm, T>("residual_norm", x.size(0),
                                         {.x = pointer<T>(x),
                                          .z = pointer<T>(z),
                                          .weight = pointer<float>(weight),
                                          .bias = pointer<float>(bias),
                                          .sum = pointer<T>(normed.sum),
                                          .y = pointer<T>(normed.y),
                                          .mean = pointer<float>(normed.mean),
                                          .inverse = pointer<float>(normed.inverse),
                                          .mask = mask.rows(),
                                          .width = x.size(1),
                                          .epsilon = static_cast<float>(epsilon)});
  });
  return normed;
}

struct NormGradients {
  torch::Tensor x, z, weight, bias;
};

NormGradients norm_gradients(const gpu::Kernels& kernels, const torch::Tensor& y_gradient,
                             const NormedSum& normed, const torch::Tensor& weight, const DeviceMask& mask) {
  const auto rows = normed.sum.size(0), width = normed.sum.size(1);
  const auto x_gradient = torch::empty_like(normed.sum);
  const auto z_gradient = mask.p > 0 ? torch::empty_like(normed.sum) : torch::Tensor();
  torch::Tensor parts;  // (chunks, 2, width)
  gpu::with_gpu_type(normed.sum.scalar_type(), [&](auto type) {
    using T = decltype(type);
    using Weights = gpu::NormWeightGradients<T>;
    kernels.launch<gpu::ResidualNormBackward, T>("residual_norm_backward", rows,
                                                 {.y_gradient = pointer<T>(y_gradient),
                                                  .sum = pointer<T>(normed.sum),
                                                  .mean = pointer<float>(normed.mean),
                                                  .inverse = pointer<float>(normed.inverse),
                                                  .weight = pointer<float>(weight),
                                                  .x_gradient = pointer<T>(x_gradient),
                                                  .z_gradient = pointer<T>(z_gradient),
                                                  .mask = mask.rows(),
                                                  .width = width});
    const auto chunks = (rows + Weights::kRows - 1) / Weights::kRows,
               tiles = (width + Weights::kThreads - 1) / Weights::kThreads;
    parts = torch::empty({chunks, 2, width}, weight.options());
    kernels.launch<gpu::NormWeightGradients, T>("residual_norm_weights", chunks * tiles,
                                                {.y_gradient = pointer<T>(y_gradient),
                                                 .sum = pointer<T>(normed.sum),
                                                 .mean = pointer<float>(normed.mean),
                                                 .inverse = pointer<float>(normed.inverse),
                                                 .gradients = pointer<float>(parts),
                                                 .rows = rows,
                                                 .width = width,
                                                 .tiles = tiles});
  });
  const auto sums = parts.sum(0);
  return {x_gradient, z_gradient.defined() ? z_gradient : x_gradient, sums[0], sums[1]};
}

class OwnResidualNorm : public OnceDifferentiable<OwnResidualNorm> {
 public:
  static constexpr const char* kName = "ops::residual_norm by own kernels";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               const torch::Tensor& z, const torch::Tensor& weight, const torch::Tensor& bias,
                               double epsilon, const std::optional<torch::Tensor>& examples,
                               const std::optional<torch::Tensor>& places,
                               const std::optional<torch::Tensor>& seed, std::int64_t number, double p) {
    const auto known = [](const std::optional<torch::Tensor>& t) { return t.value_or(torch::Tensor()); };
    const auto rows = [](const torch::Tensor& t) { return t.contiguous().view({-1, t.size(-1)}); };
    const auto normed = normed_sum(*residual_norm_kernels(x.device()), rows(x), rows(z), weight, bias,
                                   epsilon, {known(examples), known(places), known(seed), number, p});
    context->save_for_backward(
        {normed.sum, normed.mean, normed.inverse, weight, known(examples), known(places), known(seed)});
    context->saved_data["number"] = number;
    context->saved_data["p"] = p;
    return normed.y.view(x.sizes());
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto saved = context->get_saved_variables();
    const auto shape = received[0].sizes();
    const auto found = norm_gradients(*residual_norm_kernels(received[0].device()),
                                      received[0].contiguous().view(saved[0].sizes()),
                                      {saved[0], saved[1], saved[2], {}}, saved[3],
                                      {saved[4], saved[5], saved[6], context->saved_data["number"].toInt(),
                                       context->saved_data["p"].toDouble()});
    return {found.x.view(shape), found.z.view(shape), found.weight, found.bias, {}, {}, {}, {}, {}, {}};
  }
};

/// With LibTorch's operations, without a mask, whose agreement is another kernel's matter
/// (device_dropout.cpp): more rows than a chunk has, of a width that threads divide and of one that they do
/// not.
bool residual_norm_agrees(const gpu::Kernels& kernels, const torch::Device& device) {
  const torch::NoGradGuard no_gradients;
  for (const auto type : {torch::kFloat, torch::kBFloat16, torch::kHalf})
    for (const std::int64_t width : {128, 300}) {
      const std::int64_t rows = 150;
      const auto waves = [&](std::int64_t count, double pace) {
        return (torch::arange(count).to(torch::kDouble) * pace).sin().to(torch::kFloat).to(device);
      };
      const auto x = (waves(rows * width, 1.3) * 2).view({rows, width}).to(type),
                 z = (waves(rows * width, 0.7) + 0.5).view({rows, width}).to(type),
                 gradient = waves(rows * width, 2.1).view({rows, width}).to(type);
      const auto weight = waves(width, 0.9) + 1, bias = waves(width, 0.3);
      const auto own = normed_sum(kernels, x, z, weight, bias, 1e-5, {});
      const auto sum = (x + z).to(torch::kFloat);
      const auto [y, mean, inverse] = at::native_layer_norm(sum, {width}, weight, bias, 1e-5);
      const auto found = norm_gradients(kernels, gradient, own, weight, {});
      const auto [x_gradient, weight_gradient, bias_gradient] = at::native_layer_norm_backward(
          gradient.to(torch::kFloat), sum, {width}, mean, inverse, weight, bias, {true, true, true});
      const auto near = [&](const torch::Tensor& a, const torch::Tensor& b, double precision) {
        return torch::allclose(a.to(torch::kFloat), b, precision, precision);
      };
      const double rounding = gpu::rounding_of(type);
      if (!torch::equal(own.sum.to(torch::kFloat), sum) || !near(own.y, y, rounding) ||
          !near(found.x, x_gradient, rounding) || !near(found.weight, weight_gradient, 1e-4) ||
          !near(found.bias, bias_gradient, 1e-4))
        return false;
    }
  return true;
}

const gpu::Kernels* residual_norm_kernels(const torch::Device& device) {
  return gpu::usable_kernels(
      {"residual_norm", gpu::residual_norm_text()}, device,
      [&](const gpu::Kernels& kernels) { return residual_norm_agrees(kernels, device); });
}

}  // namespace

torch::Tensor device_residual_norm(const torch::Tensor& x, const torch::Tensor& z,
                                   const torch::Tensor& weight, const torch::Tensor& bias, double epsilon,
                                   double p) {
  if (residual_norm_kernels(x.device()) != nullptr)
    if (const auto mask = draw_device_mask(x, p))
      return OwnResidualNorm::apply(x, z, weight, bias, epsilon, if_defined(mask->examples),
                                    if_defined(mask->places), if_defined(mask->seed), mask->number, p);
  return DeviceResidualNorm::apply(x, z, weight, bias, epsilon, p);
}

}  // namespace transformer::ops

#include "transformer/nn/norm.h"

#include <algorithm>
#include <tuple>

namespace transformer::nn {
namespace {

/// How far averages of statistics go towards new ones; PyTorch's momentum.
constexpr double kNewStatistics = 0.1;

torch::Tensor wide(const torch::Tensor& x) {
  return x.to(torch::promote_types(x.scalar_type(), torch::kFloat));
}

}  // namespace

NormImpl::NormImpl(const NormOptions& options) : options_(options) {
  if (options.variant.choice) {
    variant = register_module("variant", make_variant<NormVariant>(options.variant));
    return;
  }
  switch (options.kind) {
    case NormKind::layer:
      weight = register_parameter("weight", torch::ones({options.d_model}));
      bias = register_parameter("bias", torch::zeros({options.d_model}));
      return;
    case NormKind::rms:
      weight = register_parameter("weight", torch::ones({options.d_model}));
      return;
    case NormKind::batch:
      weight = register_parameter("weight", torch::ones({options.d_model}));
      bias = register_parameter("bias", torch::zeros({options.d_model}));
      mean = register_parameter("mean", torch::zeros({options.d_model}), /*requires_grad=*/false);
      variance = register_parameter("variance", torch::ones({options.d_model}), /*requires_grad=*/false);
      return;
    case NormKind::none:
      return;
  }
  no_such_choice();
}

torch::Tensor NormImpl::forward(const torch::Tensor& x) {
  if (variant) return apply_variant(*variant, x);
  switch (options_.kind) {
    case NormKind::layer: {
      // A GPU's operation wants one type; that of CPUs reads weights in fp32 beside bf16.
      const auto type = x.is_cpu() ? weight.scalar_type() : x.scalar_type();
      return torch::layer_norm(x, {options_.d_model}, weight.to(type), bias.to(type), options_.epsilon);
    }
    case NormKind::rms: {
      const auto values = wide(x);
      const auto inverse = (values.square().mean(-1, /*keepdim=*/true) + options_.epsilon).rsqrt();
      return (values * inverse * weight).to(x.scalar_type());
    }
    case NormKind::batch:
      return normalised_by_batch(x);
    case NormKind::none:
      return x;
  }
  no_such_choice();
}

torch::Tensor NormImpl::normalised_by_batch(const torch::Tensor& x) {
  const auto values = wide(x);
  auto centre = mean, spread = variance;
  if (is_training()) {
    TORCH_CHECK(x.dim() == 2, "batch normalisation: expected packed sequences (N, D) in training, found ",
                x.sizes());
    std::tie(spread, centre) = torch::var_mean(values, /*dim=*/0, /*unbiased=*/false);
    const auto rows = static_cast<double>(x.size(0));
    seen_mean_ = centre.detach();
    seen_variance_ = spread.detach() * (rows / std::max(rows - 1, 1.0));
  }
  return ((values - centre) * (spread + options_.epsilon).rsqrt() * weight + bias).to(x.scalar_type());
}

void NormImpl::keep_statistics(const torch::Tensor& useless) {
  if (!seen_mean_.defined()) return;
  const torch::NoGradGuard no_gradients;
  const auto keep = [&](torch::Tensor& average, torch::Tensor& seen) {
    // Not by a factor of 0: what is useless may be NaN.
    average.copy_(
        torch::where(useless > 0, average, average.lerp(seen.to(average.scalar_type()), kNewStatistics)));
    seen.reset();
  };
  keep(mean, seen_mean_);
  keep(variance, seen_variance_);
}

void keep_statistics(torch::nn::Module& model, const torch::Tensor& useless) {
  for (const auto& module : model.modules())
    if (auto* norm = module->as<Norm>()) norm->keep_statistics(useless);
}

bool NormImpl::is_layer_norm() const {
  return !variant && options_.kind == nn::NormKind::layer;
}

void NormImpl::reset_parameters() {
  const torch::NoGradGuard no_gradients;
  if (weight.defined()) weight.fill_(1);
  if (bias.defined()) bias.zero_();
  if (mean.defined()) mean.zero_();
  if (variance.defined()) variance.fill_(1);
}

}  // namespace transformer::nn

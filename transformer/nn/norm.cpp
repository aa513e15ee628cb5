#include "transformer/nn/norm.h"

namespace transformer::nn {

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
    case NormKind::none:
      return;
  }
  no_such_choice();
}

torch::Tensor NormImpl::forward(const torch::Tensor& x) {
  if (variant) return apply_variant(*variant, x);
  switch (options_.kind) {
    case NormKind::layer:
      return torch::layer_norm(x, {options_.d_model}, weight, bias, options_.epsilon);
    case NormKind::rms: {
      const auto wide = x.to(torch::promote_types(x.scalar_type(), torch::kFloat));
      const auto inverse = (wide.square().mean(-1, /*keepdim=*/true) + options_.epsilon).rsqrt();
      return (wide * inverse * weight).to(x.scalar_type());
    }
    case NormKind::none:
      return x;
  }
  no_such_choice();
}

bool NormImpl::is_layer_norm() const {
  return !variant && bias.defined();
}

void NormImpl::reset_parameters() {
  const torch::NoGradGuard no_gradients;
  if (weight.defined()) weight.fill_(1);
  if (bias.defined()) bias.zero_();
}

}  // namespace transformer::nn

#include "transformer/nn/feed_forward.h"

#include "transformer/nn/activation.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/feed_forward.h"
#include "transformer/ops/gate.h"
#include "transformer/ops/linear.h"

namespace transformer::nn {
namespace {

torch::Tensor open(const torch::Tensor& gate, Gate kind) {
  switch (kind) {
    case Gate::sigmoid:
      return torch::sigmoid(gate);
    case Gate::swish:
      return torch::silu(gate);
    case Gate::gelu_tanh:
      return torch::gelu(gate, "tanh");
    case Gate::none:
      break;
  }
  no_such_choice();
}

}  // namespace

FeedForwardOptions feed_forward_options(const models::ModelOptions& o) {
  return {.d_model = o.d_model,
          .d_ff = o.d_ff,
          .kind = o.feed_forward,
          .activation = o.activation,
          .dropout = o.activation_dropout,
          .variant = {o.variants.feed_forward, models::place_of(o)}};
}

FeedForwardImpl::FeedForwardImpl(const FeedForwardOptions& options) : options_(options) {
  if (options.variant.choice) {
    variant = register_module("variant", make_variant<FeedForwardVariant>(options.variant));
    return;
  }
  TORCH_CHECK(exists(options.kind), "feed-forward: expected a kind that exists, found none");
  inner = register_module("inner", torch::nn::Linear(options.d_model, options.d_ff));
  if (gate_of(options.kind) != Gate::none)
    gate = register_module("gate", torch::nn::Linear(options.d_model, options.d_ff));
  outer = register_module("outer", torch::nn::Linear(options.d_ff, options.d_model));
}

torch::Tensor FeedForwardImpl::forward(const torch::Tensor& x) {
  if (variant) return apply_variant(*variant, x);
  const bool trained = inner->bias.scalar_type() == torch::kFloat && x.numel() > 0;
  if (!gate.is_empty()) {
    if (!trained || !ops::has_gated(x)) return reference(x);
    const auto both = ops::joint_linear(x, {inner->weight, gate->weight}, {inner->bias, gate->bias});
    return outwards(ops::gated(both, gate_of(options_.kind)));
  }
  // ReLU's gradient follows from its result, which is all that ops::feed_forward keeps.
  const bool plain = options_.activation == Activation::relu && (options_.dropout == 0.0 || !is_training());
  if (plain && trained && ops::has_functions(x))
    return ops::feed_forward(x, inner->weight, inner->bias, outer->weight, outer->bias);
  return reference(x);
}

torch::Tensor FeedForwardImpl::reference(const torch::Tensor& x) {
  if (variant) return apply_variant(*variant, x);
  return outwards(hidden(x));
}

torch::Tensor FeedForwardImpl::outwards(const torch::Tensor& hidden) {
  return ops::linear(ops::dropout(hidden, options_.dropout, is_training()), outer->weight, outer->bias);
}

torch::Tensor FeedForwardImpl::hidden(const torch::Tensor& x) {
  const auto values = ops::linear(x, inner->weight, inner->bias);
  if (gate.is_empty()) return activated(values, options_.activation);
  return open(ops::linear(x, gate->weight, gate->bias), gate_of(options_.kind)) * values;
}

}  // namespace transformer::nn

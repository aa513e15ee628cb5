#include "transformer/train/optimizers/adam.h"

#include <torch/utils.h>

#include "transformer/ops/if_defined.h"

namespace transformer::train {

Adam::Adam(NamedTensors parameters, const TrainOptions& options)
    : Optimizer(parts_of(std::move(parameters), options)),
      decoupled_(facts_of(options.optimizer).decoupled),
      beta1_(options.beta1),
      beta2_(options.beta2),
      epsilon_(options.epsilon) {}

void Adam::step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                      const GradientUse& use) {
  const auto step = [&](const auto& rate) {
    const auto fused = [&](auto&& operation) {
      operation(group.values, gradients, group.kept[0], group.kept[1], /*max_exp_avg_sqs=*/at::TensorList{},
                group.updates, rate, beta1_, beta2_, group.weight_decay, epsilon_, /*amsgrad=*/false,
                /*maximize=*/false, ops::if_defined(use.divisor), ops::if_defined(use.useless));
    };
    if (decoupled_)
      fused([](auto&&... arguments) { torch::_fused_adamw_(arguments...); });
    else
      fused([](auto&&... arguments) { torch::_fused_adam_(arguments...); });
  };
  if (use.rate.defined())
    step(use.rate);
  else
    step(learning_rate);
}

}  // namespace transformer::train

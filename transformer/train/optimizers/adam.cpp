#include "transformer/train/optimizers/adam.h"

#include <torch/utils.h>

#include "transformer/ops/if_defined.h"

namespace transformer::train {

Adam::Adam(NamedTensors parameters, const TrainOptions& options)
    : Optimizer({std::move(parameters), {"m", "v"}, options.weight_decay}),
      beta1_(options.beta1),
      beta2_(options.beta2),
      epsilon_(options.epsilon) {}

void Adam::step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                      const GradientUse& use) {
  torch::_fused_adamw_(group.values, gradients, group.kept[0], group.kept[1], /*max_exp_avg_sqs=*/{},
                       group.updates, learning_rate, beta1_, beta2_, group.weight_decay, epsilon_,
                       /*amsgrad=*/false, /*maximize=*/false, ops::if_defined(use.divisor),
                       ops::if_defined(use.useless));
}

}  // namespace transformer::train

#include "transformer/train/optimizers/sgd.h"

#include <torch/utils.h>

#include "transformer/ops/if_defined.h"

namespace transformer::train {

Sgd::Sgd(NamedTensors parameters, const TrainOptions& options)
    : Optimizer(parts_of(std::move(parameters), options)), momentum_(options.momentum) {}

void Sgd::step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                     const GradientUse& use) {
  // The momentum starts with zeros, so the first step needs no special case. Without momentum LibTorch uses
  // no kept numbers.
  const auto kept = momentum_ > 0 ? at::TensorList(group.kept[0]) : at::TensorList();
  torch::_fused_sgd_(group.values, gradients, kept, group.weight_decay, momentum_, learning_rate,
                     /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false, /*is_first_step=*/false,
                     ops::if_defined(use.divisor), ops::if_defined(use.useless));
}

}  // namespace transformer::train

// Gradient descent with momentum.
#pragma once

#include "transformer/train/optimizer.h"

namespace transformer::train {

/// As one fused kernel over a group's parameters, with train.momentum μ and a weight decay λ:
///     b ← μ b + g + λ w,    w ← w - rate · b.
class Sgd : public Optimizer {
 public:
  Sgd(NamedTensors parameters, const TrainOptions& options);

 protected:
  void step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                  const GradientUse& use) override;

 private:
  double momentum_;
};

}  // namespace transformer::train

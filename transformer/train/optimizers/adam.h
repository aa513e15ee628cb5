// Section 5.3: the Adam optimiser; AdamW.
#pragma once

#include "transformer/train/optimizer.h"

namespace transformer::train {

/// Adam with bias correction and the paper's β1, β2 and ε, as one fused kernel over a group's parameters:
///     m ← β1 m + (1 - β1) g,    v ← β2 v + (1 - β2) g²,
///     w ← w - rate · (m / (1 - β1^t)) / (√(v / (1 - β2^t)) + ε)   at update t.
///
/// A weight decay λ is decoupled from the gradients, as in AdamW: before each step, w ← w − rate · λ · w.
/// With train.optimizer: adam it is a part of the gradient: g + λ w takes the place of g.
class Adam : public Optimizer {
 public:
  Adam(NamedTensors parameters, const TrainOptions& options);

  bool reads_rate_on_device() const override { return true; }

 protected:
  void step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                  const GradientUse& use) override;

 private:
  bool decoupled_;
  double beta1_, beta2_, epsilon_;
};

}  // namespace transformer::train

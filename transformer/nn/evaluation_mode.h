// Dropout off for a while.
#pragma once

#include <torch/nn/module.h>

namespace transformer::nn {

/// While it lives, the module is in evaluation mode. Afterwards it trains again if it did before.
class EvaluationMode {
 public:
  explicit EvaluationMode(torch::nn::Module& module) : module_(module), was_training_(module.is_training()) {
    if (was_training_) module_.eval();
  }
  ~EvaluationMode() {
    if (was_training_) module_.train();
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  torch::nn::Module& module_;
  bool was_training_;
};

}  // namespace transformer::nn

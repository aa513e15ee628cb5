#include "transformer/train/evaluation.h"

#include <cmath>

#include "transformer/base/error.h"
#include "transformer/nn/evaluation_mode.h"
#include "transformer/runtime/device.h"

namespace transformer::train {
DataLoss evaluate_loss(Objective& objective, torch::ScalarType precision,
                       const std::atomic<bool>* interrupted) {
  const torch::NoGradGuard no_gradients;
  const runtime::Autocast autocast(device_of(objective.module()), precision);
  const nn::EvaluationMode mode(objective.module());
  DataLoss sums;
  const auto [plan, examples] = objective.evaluation();
  for (const auto& micro_batch : plan.micro_batches()) {
    if (interrupted && *interrupted) throw Interrupted();
    const auto batch = examples->make_batch(micro_batch);
    const auto loss = objective.loss(objective.outputs(batch), batch);
    sums.loss += loss.smoothed.item<double>();
    sums.nll += loss.nll.item<double>();
    sums.tokens += examples->size_of(micro_batch).target_tokens;
  }
  sums.loss /= static_cast<double>(sums.tokens);
  sums.nll /= static_cast<double>(sums.tokens);
  sums.perplexity = std::exp(sums.nll);
  return sums;
}

}  // namespace transformer::train

#include "transformer/train/evaluation.h"

#include <cmath>

#include "transformer/base/error.h"
#include "transformer/nn/evaluation_mode.h"
#include "transformer/ops/working_weights.h"
#include "transformer/runtime/device.h"

namespace transformer::train {
DataLoss evaluate_loss(Objective& objective, torch::ScalarType precision,
                       const std::atomic<bool>* interrupted) {
  const torch::NoGradGuard no_gradients;
  const runtime::Autocast autocast(precision);
  const nn::EvaluationMode mode(objective.module());
  ops::WorkingWeights weights;
  const ops::WorkingWeights::Use use(weights);
  DataLoss sums;
  std::vector<torch::Tensor> losses;
  const auto [plan, examples] = objective.evaluation();
  for (const auto& micro_batch : plan.micro_batches()) {
    if (interrupted && *interrupted) throw Interrupted();
    const auto batch = examples->make_batch(micro_batch);
    const auto loss = objective.loss(objective.outputs(batch), batch);
    losses.push_back(torch::stack({loss.smoothed, loss.nll}));
    sums.tokens += examples->size_of(micro_batch).target_tokens;
  }
  if (!losses.empty()) {
    const auto total = torch::stack(losses).sum(0).cpu();  // read once: each reading would wait for a GPU
    sums.loss = total[0].item<double>();
    sums.nll = total[1].item<double>();
  }
  sums.loss /= static_cast<double>(sums.tokens);
  sums.nll /= static_cast<double>(sums.tokens);
  sums.perplexity = std::exp(sums.nll);
  return sums;
}

}  // namespace transformer::train

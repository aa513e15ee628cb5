#include "transformer/train/evaluation.h"

#include <cmath>
#include <limits>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/nn/evaluation_mode.h"
#include "transformer/ops/working_weights.h"
#include "transformer/runtime/device.h"

namespace transformer::train {
namespace {

/// Sums over each of some micro-batches, (N, 2), fp64, on the CPU: loss and nll. Where there are others,
/// theirs are zeros.
torch::Tensor compute_sums(Objective& objective, const Examples& examples,
                           const std::vector<Examples::MicroBatch>& micro_batches,
                           const std::atomic<bool>* interrupted, const distributed::Group* group) {
  std::vector<torch::Tensor> sums;
  for (std::size_t i = 0; i < micro_batches.size(); ++i) {
    if (interrupted && *interrupted) throw Interrupted();
    if (group && static_cast<std::int64_t>(i) % group->size() != group->rank()) {
      sums.push_back(torch::zeros({2}, device_of(objective.module())));
      continue;
    }
    const auto batch = examples.make_batch(micro_batches[i]);
    const auto loss = objective.loss({objective.outputs(batch)}, batch);
    sums.push_back(torch::stack({loss.smoothed, loss.nll}));
  }
  // Always fp64: a process without batches does not know the loss's type.
  return (sums.empty() ? torch::zeros({1, 2}) : torch::stack(sums)).cpu().to(torch::kDouble);
}

/// What compute_sums() gives in one process alone.
torch::Tensor compute_sums_together(Objective& objective, const Examples& examples,
                                    const std::vector<Examples::MicroBatch>& micro_batches,
                                    const std::atomic<bool>* interrupted, distributed::Collectives& others) {
  auto& group = others.group();
  torch::Tensor sums;
  distributed::interrupt_together(
      &group, [&] { sums = compute_sums(objective, examples, micro_batches, interrupted, &group); });
  others.sum(sums);  // a number and zeros: no order of adding changes it
  return sums;
}

}  // namespace

DataLoss evaluate_loss(Objective& objective, torch::ScalarType precision,
                       const std::atomic<bool>* interrupted, distributed::Collectives* others) {
  const torch::NoGradGuard no_gradients;
  const runtime::PrecisionScope scope(precision);
  const nn::EvaluationMode mode(objective.module());
  ops::WorkingWeights weights;
  const ops::WorkingWeights::Use use(weights);
  const auto [plan, examples] = objective.evaluation();
  const auto micro_batches = plan.micro_batches();
  const auto sums_of_all =
      others ? compute_sums_together(objective, *examples, micro_batches, interrupted, *others)
             : compute_sums(objective, *examples, micro_batches, interrupted, nullptr);
  const auto total = sums_of_all.sum(0);
  DataLoss sums{.loss = total[0].item<double>(), .nll = total[1].item<double>()};
  for (const auto& micro_batch : micro_batches) sums.tokens += examples->size_of(micro_batch).target_tokens;
  sums.loss /= static_cast<double>(sums.tokens);
  sums.nll /= static_cast<double>(sums.tokens);
  for (auto* mean : {&sums.loss, &sums.nll})
    if (std::isnan(*mean)) *mean = std::numeric_limits<double>::quiet_NaN();  // whose sign would be printed
  sums.perplexity = std::exp(sums.nll);
  return sums;
}

}  // namespace transformer::train

#include "transformer/train/dev_evaluation.h"

#include "transformer/base/stopwatch.h"
#include "transformer/runtime/exact_fp32.h"

namespace transformer::train {

DevEvaluation evaluate_dev(Task& task, bool with_metric, const std::atomic<bool>* interrupted,
                           distributed::Collectives* others) {
  const Stopwatch watch;
  DevEvaluation found;
  {
    const runtime::ExactFp32 not_tf32;
    found.loss = evaluate_loss(task.dev(), torch::kFloat, interrupted, others);
  }
  found.loss_seconds = watch.seconds();
  if (with_metric) {
    task.module().eval();
    found.metric = task.dev_metric();
  }
  found.seconds = watch.seconds();
  return found;
}

}  // namespace transformer::train

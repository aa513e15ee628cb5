// What is measured of the dev set in the midst of a training.
#pragma once

#include <atomic>
#include <optional>

#include "transformer/distributed/collectives.h"
#include "transformer/train/dev_metric.h"
#include "transformer/train/evaluation.h"
#include "transformer/train/task.h"

namespace transformer::train {

struct DevEvaluation {
  DataLoss loss;
  std::optional<DevMetric> metric = {};  ///< where it was wanted, and the task has one
  double loss_seconds = 0;               ///< that the loss took
  double seconds = 0;                    ///< that all of it took
};

/// The loss is computed in fp32 whatever the training's precision is, so that the perplexities of runs can be
/// compared. Leaves the module in evaluation mode where the metric is wanted. `others` and Interrupted: as of
/// evaluate_loss().
DevEvaluation evaluate_dev(Task& task, bool with_metric, const std::atomic<bool>* interrupted = nullptr,
                           distributed::Collectives* others = nullptr);

}  // namespace transformer::train

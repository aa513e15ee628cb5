// Section 5: training.
#pragma once

#include <atomic>
#include <filesystem>

#include "transformer/config/experiment.h"
#include "transformer/distributed/group.h"
#include "transformer/train/task.h"

namespace transformer::train {

struct TrainerSettings {
  std::filesystem::path run;
  bool resume = false;
  bool quiet = false;
  torch::ScalarType precision = torch::kFloat;
  /// Once set, the training stops after the running micro-batch, and saves: an update or evaluation that was
  /// not over by then is made again, as a whole, when the run goes on.
  const std::atomic<bool>* interrupted = nullptr;
  /// The processes that train this task together, if there are several: each has made the same task, and all
  /// call train(). Rank 0 alone writes, and reads, the run directory. An interruption stops all after the
  /// running update.
  distributed::Group* group = nullptr;
};

enum class TrainOutcome { finished, interrupted };

/// Trains a task, which was made from `experiment`, in a run directory, which is created. The options
/// `metric_every` and `best: metric` refer to the task's dev metric. Without `resume` the directory must not
/// hold a training yet. With it, training goes on from the newest whole checkpoint, or starts if there is
/// none, and computes the same as without the stop. Throws InputError for problems that the user must fix.
/// Throws RunError, with everything saved, after max_skipped updates in a row with a NaN or infinite loss or
/// gradient.
TrainOutcome train(Task& task, const config::Experiment& experiment, const TrainerSettings& settings);

}  // namespace transformer::train

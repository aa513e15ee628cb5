// Measures a training's time and memory by a few updates, without a run directory.
#pragma once

#include <atomic>
#include <cstdint>

#include "transformer/config/experiment.h"
#include "transformer/train/task.h"

namespace transformer::train {

struct DryRun {
  std::int64_t parameters = 0;
  std::int64_t steps = 0;
  double updates_per_epoch = 0;
  double source_tokens = 0;  ///< real ones an update, on average
  double target_tokens = 0;
  double flops = 0;               ///< an update's matrix products, forward and backward
  std::int64_t micro_tokens = 0;  ///< as configured, or found
  std::int64_t largest_rows = 0, largest_source = 0,
               largest_target = 0;  ///< shape of the largest micro-batch
  /// Bytes, with the largest micro-batch: of the GPU, or of the whole process, with the copy from which it
  /// saves checkpoints.
  double peak_memory = 0;
  double seconds = 0;  ///< an update takes, on average; without evaluations

  double total_seconds() const { return seconds * static_cast<double>(steps); }
};

/// Where train.micro_tokens is auto, it is found first (micro_tokens.h), and then holds for the task. Trains
/// the task on the first epoch's largest micro-batch for the memory, then on others, evenly spread
/// over the epoch, for `seconds` or so for the speed. Throws Interrupted, and RunError where memory is too
/// short.
DryRun dry_run(Task& task, const config::Experiment& given, torch::ScalarType precision, double seconds,
               const std::atomic<bool>* interrupted = nullptr);

}  // namespace transformer::train

// What a training writes while it goes on. Of several processes, rank 0 alone does.
#pragma once

#include <optional>

#include "transformer/base/lock_file.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/train/checkpoint_writer.h"
#include "transformer/train/measurements.h"
#include "transformer/train/step_lines.h"
#include "transformer/train/tensorboard.h"

namespace transformer::train {

class RunOutput {
 public:
  /// In a run directory that is this process's (claim_run, enter_run). All are used as long as this lives.
  RunOutput(const checkpoints::RunDirectory& run, const Task& task, const config::Experiment& experiment,
            const TrainState& state);

  void write(const Metrics& line);
  /// task.samples(), after `step`; its module is left in evaluation mode.
  void write_samples(Task& task, std::int64_t step);

  /// As CheckpointWriter's.
  void save(const Snapshot& training) { writer_.save(training); }
  void check() { writer_.check(); }
  void finish() { writer_.finish(); }

 private:
  void write(StepLines& file, const std::string& line);

  StepLines metrics_, samples_;
  std::optional<TensorBoard> tensorboard_;  ///< train.tensorboard
  CheckpointWriter writer_;
};

}  // namespace transformer::train

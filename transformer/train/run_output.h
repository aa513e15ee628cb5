// What a training writes while it goes on. Of several processes, rank 0 alone does.
#pragma once

#include "transformer/base/lock_file.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/train/checkpoint_writer.h"
#include "transformer/train/metrics_file.h"

namespace transformer::train {

class RunOutput {
 public:
  /// In a run directory that is this process's (claim_run, enter_run). All are used as long as this lives.
  RunOutput(const checkpoints::RunDirectory& run, const Task& task, const config::Experiment& experiment,
            const TrainState& state);

  void write(const Metrics& line) { metrics_.write(line); }

  /// As CheckpointWriter's.
  void save(const Snapshot& training) { writer_.save(training); }
  void check() { writer_.check(); }
  void finish() { writer_.finish(); }

 private:
  MetricsFile metrics_;
  CheckpointWriter writer_;
};

}  // namespace transformer::train

// Trains and translates all runs of a study, several at once, and goes on where it was.
#pragma once

#include <atomic>
#include <functional>

#include "transformer/experiments/planner.h"
#include "transformer/experiments/study.h"

namespace transformer::experiments {

struct RunnerSettings {
  bool quiet = false;
  int lock = -1;  ///< the output lock's descriptor, for the programs to hold
  const std::atomic<bool>& interrupted;
  /// Called after each run that is finished or has failed for good.
  std::function<void()> changed;
};

struct Outcome {
  std::int64_t finished = 0;  ///< runs, those of earlier sittings included
  std::int64_t failed = 0;
  bool interrupted = false;
};

/// Runs all experiments. Trainings that an earlier call finished come first, to be counted and reported. Then
/// come the baseline's runs, then the longest ones, so that the last ones to end are short.
///
/// The folder of a run is OUTPUT/NAME/seed-N. These programs work in it:
/// * transformer-train trains, or resumes a training.
/// * transformer-average averages, if more than one checkpoint is judged.
/// * transformer-translate translates the dev set, and the test set if the list says so.
///
/// A run that has all this is left alone, unless its configuration has changed (run_folder.h). A run that
/// fails is reported with the end of its log. It is tried once more unless its input was bad, and the others
/// go on. On an interrupt all programs are asked to stop, which saves their work, and this waits for them.
Outcome run_all(const Study& study, const Plan& plan, const RunnerSettings& settings);

}  // namespace transformer::experiments

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

/// What an earlier call has trained to its end comes first, to be counted and reported; then the baseline's
/// runs, then the longest, so that the last ones to end are short.
///
/// A run is a folder OUTPUT/NAME/seed-N. In it, transformer-train trains (and goes on with what is there),
/// transformer-average averages where more than one checkpoint is judged, and transformer-translate
/// translates the dev set, and the test set if the list says so; a run that has all this is not touched,
/// unless its configuration changed (run_folder.h). One that fails is reported with its log's end and tried
/// once more, unless its input was bad; the others go on. When interrupted, all programs are asked to stop,
/// which saves what they have, and are waited for.
Outcome run_all(const Study& study, const Plan& plan, const RunnerSettings& settings);

}  // namespace transformer::experiments

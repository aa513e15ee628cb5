// How a run begins, or goes on.
#pragma once

#include "transformer/base/lock_file.h"
#include "transformer/train/checkpoint.h"

namespace transformer::train {

struct OpenedRun {
  FolderLock lock;  ///< to be kept as long as the run is written to
  bool resumed;     ///< a checkpoint was loaded
};

/// Creates the run directory with its configuration, the task's files and the log file, or, with `resume`,
/// opens it and loads the newest whole checkpoint, if there is one. Throws InputError when a directory holds
/// a training that is not to be resumed, was made with another configuration or under other conditions, or
/// runs now.
OpenedRun open_run(const checkpoints::RunDirectory& run, bool resume, const TrainingParts& parts);

}  // namespace transformer::train

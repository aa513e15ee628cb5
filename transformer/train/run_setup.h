// How a run begins, or goes on: the directory is claimed, then the training enters it.
#pragma once

#include "transformer/base/lock_file.h"
#include "transformer/train/checkpoint.h"

namespace transformer::train {

/// Throws InputError where a run's configuration lacks keys that its newest checkpoint's has: it was cut off,
/// and what is missing would be taken for the defaults.
void check_whole_configuration(const checkpoints::RunDirectory& run);

/// The file with a run's configuration: its own, which must be whole, or, where that is gone, its newest
/// checkpoint's, which a line of the log says.
std::filesystem::path configuration_of(const checkpoints::RunDirectory& run);

/// Creates the run directory, or opens it, and begins or goes on with its log file. The lock is to be kept as
/// long as the run is written to. Throws InputError when the directory holds a training that is not to be
/// resumed, or that runs now, or files from elsewhere, or where its file system cannot do what saving needs.
FolderLock claim_run(const checkpoints::RunDirectory& run, bool resume, const Task& task);

/// The experiment as a claimed run goes on with it: where train.micro_tokens is auto, the run's own number,
/// if it has begun: of its configuration or, where that is lost, of its newest checkpoint's.
config::Experiment as_begun(const checkpoints::RunDirectory& run, config::Experiment experiment);

/// With `resume`, loads a claimed run's newest whole checkpoint, if there is one. Else the model begins from
/// train.from. Then writes the run's
/// configuration and the task's files. True if a checkpoint was loaded. Throws InputError if the training was
/// made with another configuration or under other conditions. Also throws it if there is no whole checkpoint
/// though the run has measurements beyond the first ones, which a restart would drop. Throws RunError if the
/// disk has no room for a checkpoint.
bool enter_run(const checkpoints::RunDirectory& run, bool resume, const TrainingParts& parts);

}  // namespace transformer::train

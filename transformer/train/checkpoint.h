// Checkpoints: model directories that also hold what a training needs to go on.
#pragma once

#include "transformer/checkpoints/model_files.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/config/experiment.h"
#include "transformer/train/optimizer.h"
#include "transformer/train/task.h"
#include "transformer/train/train_state.h"

namespace transformer::train {

inline constexpr const char* kOptimizerFile = "optimizer.safetensors";
inline constexpr const char* kStateFile = "trainer.json";

/// What a checkpoint is made of, by reference.
struct TrainingParts {
  Task& task;
  Optimizer& optimizer;
  TrainState& state;
  const config::Experiment& experiment;
};

/// A training at one moment.
struct Snapshot {
  checkpoints::NamedTensors weights, moments;
  TrainState state;
};

/// By reference: right as long as the training stands still.
Snapshot snapshot_of(const TrainingParts& parts);

/// Apart from the training, in the host's memory, of which it takes as much as weights and moments do.
Snapshot copy_to_host(const Snapshot& training);

/// Writes the checkpoint of state.step, whole or not at all, lets "last" point to it, and "best" when it is
/// the best one or none has been judged yet; then deletes an earlier interim one and, unless this is interim
/// itself, checkpoints that are neither among the latest `keep`, nor among the latest `keep` of those due by
/// train.save_every, nor the best: a run that was stopped ends with the same checkpoints as one that was not.
/// Throws RunError, and leaves what is there, when it cannot be written or a weight is NaN or infinite.
/// Any thread may write a snapshot that is a copy, one at a time; its tensors go as soon as they are written.
void save_checkpoint(const checkpoints::RunDirectory& run, const Task& task,
                     const config::Experiment& experiment, Snapshot snapshot, std::int64_t keep);

/// The same of a training that stands still.
void save_checkpoint(const checkpoints::RunDirectory& run, const TrainingParts& parts, std::int64_t keep);

/// Loads the newest whole checkpoint into `parts` and lets "last" and "best" point to what is there. Damaged
/// ones on the way are named in a warning and set aside. False when there is none. Throws InputError for a
/// whole one that does not fit: starting again from step 0 would overwrite it.
bool load_newest_checkpoint(const checkpoints::RunDirectory& run, const TrainingParts& parts);

}  // namespace transformer::train

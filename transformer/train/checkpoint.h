// Checkpoints: model directories that also hold what a training needs to go on.
#pragma once

#include "transformer/checkpoints/model_files.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/config/experiment.h"
#include "transformer/train/optimizer.h"
#include "transformer/train/task.h"
#include "transformer/train/train_state.h"
#include "transformer/train/trained_parts.h"

namespace transformer::train {

inline constexpr const char* kOptimizerFile = "optimizer.safetensors";
inline constexpr const char* kStateFile = "trainer.json";
inline constexpr const char* kAdaptersFile = "adapters.safetensors";           ///< of train.adapters
inline constexpr const char* kAdaptersBaseFile = "adapters_base.safetensors";  ///< what they are added to

/// What a checkpoint is made of, by reference.
struct TrainingParts {
  Task& task;
  Optimizer& optimizer;
  TrainState& state;
  const config::Experiment& experiment;
  TrainedParts* trained = nullptr;  ///< whose adapters are saved, if it has some
};

/// A training at one moment.
struct Snapshot {
  checkpoints::NamedTensors weights = {}, moments = {};
  checkpoints::NamedTensors adapters = {}, base = {};  ///< of adapters, else none (trained_parts.h)
  TrainState state;
};

/// By reference: right as long as the training stands still.
Snapshot snapshot_of(const TrainingParts& parts);

/// A copy in the host's memory, independent of the training. It takes the size of weights and moments.
Snapshot copy_to_host(const Snapshot& training);

/// Writes the checkpoint of state.step, whole or not at all. Points "last" to it, and "best" if it is the
/// best one or none has been judged yet. Then deletes an earlier interim checkpoint. If this one is not
/// interim, also deletes checkpoints, but keeps
/// * the latest `keep`.
/// * the latest `keep` of those due by train.save_every.
/// * the best.
///
/// So a run that was stopped ends with the same checkpoints as one that was not. Throws RunError, and leaves
/// existing files, if the checkpoint cannot be written or a weight is NaN or infinite. Any thread may write a
/// snapshot that is a copy, one at a time. It frees the tensors as soon as they are written.
void save_checkpoint(const checkpoints::RunDirectory& run, const Task& task,
                     const config::Experiment& experiment, Snapshot snapshot, std::int64_t keep);

/// The same for a training that stands still.
void save_checkpoint(const checkpoints::RunDirectory& run, const TrainingParts& parts, std::int64_t keep);

/// Loads the newest whole checkpoint into `parts` and points "last" and "best" to existing checkpoints.
/// Damaged ones on the way are named in a warning and set aside. False if there is none. Throws InputError
/// for a whole checkpoint that does not fit, because starting again from step 0 would overwrite it.
bool load_newest_checkpoint(const checkpoints::RunDirectory& run, const TrainingParts& parts);

}  // namespace transformer::train

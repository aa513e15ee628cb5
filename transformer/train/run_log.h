// What a training says of itself as a whole.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "transformer/base/error.h"
#include "transformer/checkpoints/run_directory.h"
#include "transformer/train/dev_evaluation.h"
#include "transformer/train/options.h"
#include "transformer/train/task.h"
#include "transformer/train/train_state.h"
#include "transformer/train/update.h"

namespace transformer::train {

/// What is trained, on what, and where.
void log_beginning(Task& task, const TrainedParts& trained, torch::ScalarType precision,
                   std::int64_t processes);

/// Warns before the training if too few checkpoints will be left to average.
void warn_of_few_checkpoints(const TrainOptions& options);

/// Logs an update without a step: its sentences, and the number of such updates so far.
void log_skipped(const TrainState& state, const UpdateResult& result);

/// The error of a training that ends after too many such updates in a row, with advice.
RunError too_many_skipped(std::int64_t step, std::int64_t in_row, const checkpoints::RunDirectory& run);

/// An update that was lost to the loss scale.
void log_overflow(const TrainState& state);

/// What an evaluation found, and how long it took.
void log_evaluation(const TrainState& state, const DevEvaluation& dev);

void log_interruption(std::int64_t step);

/// steps: to which it was to go.
void log_end(const TrainState& state, std::int64_t steps);

}  // namespace transformer::train

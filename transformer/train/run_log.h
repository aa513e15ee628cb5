// What a training says of itself as a whole.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "transformer/train/options.h"
#include "transformer/train/task.h"
#include "transformer/train/train_state.h"

namespace transformer::train {

/// What is trained, on what, and where.
void log_beginning(Task& task, torch::ScalarType precision, std::int64_t processes);

/// Where too few checkpoints will be left to average: better now than after the training.
void warn_of_few_checkpoints(const TrainOptions& options);

void log_interruption(std::int64_t step);

void log_end(const TrainState& state, const TrainOptions& options);

}  // namespace transformer::train

// train.micro_tokens where it is auto: the largest micro-batches that a device's memory holds.
#pragma once

#include <atomic>

#include "transformer/config/experiment.h"
#include "transformer/train/task.h"

namespace transformer::train {

/// The experiment with numbers as its train.bucket_tokens and its train.micro_tokens, to which the task's
/// objectives keep from now on.
///
/// For a train.micro_tokens of auto, where training takes whole updates, that is an update's limit. Else it
/// is kUntriedMicroTokens on the CPU, and where a device does not tell how much of its memory is free. On
/// other devices it is found by trial. An update's limit and 10 %, or 25, 50 or 100 % if it takes that until
/// nearly all updates are one micro-batch (padding counts, and is much where the text is small), is divided
/// by 1, 2, 3, 4, 6, 8, 12 and so on, and the first is taken with which an update of the first epoch's
/// largest micro-batch, twice (so that gradients are there already), finds memory, with the optimiser's
/// state, while a tenth of what was free is held in reserve. What was found is logged.
///
/// Of the trial nothing is left: weights, the random numbers to come and the device's memory are as they
/// were. Throws RunError where memory is too short for the largest micro-batch of a single example, and
/// Interrupted.
config::Experiment with_micro_tokens(Task& task, config::Experiment experiment, torch::ScalarType precision,
                                     const std::atomic<bool>* interrupted = nullptr);

}  // namespace transformer::train

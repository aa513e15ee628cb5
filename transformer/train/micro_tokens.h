// train.micro_tokens where it is auto: the largest micro-batches that a device's memory holds.
#pragma once

#include <atomic>

#include "transformer/config/experiment.h"
#include "transformer/train/task.h"

namespace transformer::train {

/// The experiment with numbers for train.bucket_tokens and train.micro_tokens. The task's objectives use them
/// from now on.
///
/// A train.micro_tokens of auto becomes:
/// * an update's limit, if training takes whole updates.
/// * kUntriedMicroTokens on the CPU, and on devices that do not report their free memory.
/// * else a number that is found by trial.
///
/// The trial starts from an update's limit plus 10 %. It takes 25, 50 or 100 % if needed until nearly all
/// updates are one micro-batch; padding counts, and small texts have much of it. It divides this number by 1,
/// 2, 3, 4, 6, 8, 12 and so on, and takes the first result whose memory suffices. The test is an update of
/// the first epoch's largest micro-batch, twice, so that gradients exist already. It includes the optimiser's
/// state, and a tenth of the free memory is held in reserve. The result is logged.
///
/// The trial leaves no trace: weights, random generators and the device's memory are as before. Throws
/// RunError if even the largest micro-batch of a single example does not fit, and Interrupted.
config::Experiment with_micro_tokens(Task& task, config::Experiment experiment, torch::ScalarType precision,
                                     const std::atomic<bool>* interrupted = nullptr);

}  // namespace transformer::train

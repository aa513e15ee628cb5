// Section 5.3: how the learning rate varies over a training.
#pragma once

#include "transformer/train/options.h"

namespace transformer::train {

/// The learning rate of an update; steps count from 1. The formulas stand with `Schedule` in options.h.
/// Throws InputError for a schedule from outside that is not known or has no such rate (variants.h).
double learning_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step);

}  // namespace transformer::train

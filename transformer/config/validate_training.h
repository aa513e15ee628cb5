// What single keys cannot say of the steps of a training. For validate.cpp alone.
#pragma once

#include "transformer/config/validate.h"

namespace transformer::config {

/// Keys that the optimiser does not read are refused rather than ignored.
std::optional<Problem> problem_of_optimizer(const Experiment& experiment);

std::optional<Problem> problem_of_schedule(const train::TrainOptions& options);

/// What contradicts train.from and train.adapters.
std::optional<Problem> problem_of_beginning(const Experiment& experiment);

/// What contradicts train.guided_alignment.
std::optional<Problem> problem_of_guidance(const Experiment& experiment);

}  // namespace transformer::config

// What a training's numbers depend on, so that it goes on with nothing else.
#pragma once

#include <torch/types.h>

#include <string>

#include "transformer/config/experiment.h"
#include "transformer/train/task.h"
#include "transformer/train/train_state.h"

namespace transformer::train {

/// Those of this process, one of so many.
Conditions current_conditions(Task& task, torch::ScalarType precision, std::int64_t processes = 1);

/// Throws InputError, naming `source`, when a run would go on with other data, another precision, or batches
/// in another order. Another device or number of threads or
/// processes only rounds differently: that is a warning.
void check_conditions(const Conditions& before, const Conditions& now, const std::string& source);

/// Throws InputError, naming `source` and each such key with both values, when `now` differs from `before` in
/// more than the keys that may change when a run goes on: those that decide how long it trains and what it
/// keeps and shows, not the weights on the way, and paths, since a run may move house.
void check_unchanged(const config::Experiment& before, const config::Experiment& now,
                     const std::string& source);

}  // namespace transformer::train

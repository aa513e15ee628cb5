// Everything that a training's numbers depend on. A run goes on only under the same conditions.
#pragma once

#include <torch/types.h>

#include <string>

#include "transformer/config/experiment.h"
#include "transformer/train/task.h"
#include "transformer/train/train_state.h"

namespace transformer::train {

/// The conditions of this process, one of `processes`.
Conditions current_conditions(Task& task, torch::ScalarType precision, std::int64_t processes = 1);

/// Throws InputError, naming `source`, if a run would go on with other data, another precision, batches in
/// another order, or as if it had begun from other weights. Another device, or another number of threads or
/// processes, only changes rounding and gives a warning.
void check_conditions(const Conditions& before, const Conditions& now, const std::string& source);

/// The checksum of the weights that train.from names, if they are there. A run may go on without them; then
/// it is what `begun` has.
std::string checksum_of_beginning(const std::string& from, const std::string& begun);

/// Throws InputError, naming `source` and each such key with both values, if `now` differs from `before` in a
/// key that may not change when a run goes on. Keys that may change decide only how long the run trains, or
/// what it keeps and shows. Paths may change, too, since a run may move.
void check_unchanged(const config::Experiment& before, const config::Experiment& now,
                     const std::string& source);

}  // namespace transformer::train

// The processes that train copies of one model: they begin alike, and stay so.
#pragma once

#include <functional>
#include <string>

#include "transformer/distributed/collectives.h"
#include "transformer/train/checkpoint.h"

namespace transformer::train {

/// Throws InputError, naming the rank and what differs, where this process was begun with another version,
/// configuration, device, precision or data than rank 0.
void check_alike(distributed::Group& group, Task& task, const config::Experiment& experiment,
                 const Conditions& conditions);

/// Gives all processes rank 0's weights, moments and state; each has a model and an optimiser of the same
/// shapes. → what rank 0 says, such as whether these are a checkpoint's
bool share_start(distributed::Collectives& others, const TrainingParts& parts, bool said_by_first);

}  // namespace transformer::train

// The processes that train copies of one model: they begin alike, and stay so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "transformer/distributed/collectives.h"
#include "transformer/train/checkpoint.h"

namespace transformer::train {

/// Throws InputError, naming the rank and what differs, where this process was begun with another version,
/// configuration, device, precision or data than rank 0.
void check_alike(distributed::Group& group, Task& task, const config::Experiment& experiment,
                 const Conditions& conditions);

/// Connects this process with the others, with which it is alike; null where there are none, though
/// a launcher may have begun it.
std::unique_ptr<distributed::Collectives> meet_others(distributed::Group* group, Task& task,
                                                      const config::Experiment& experiment,
                                                      const Conditions& conditions);

/// What rank 0 has.
std::optional<std::int64_t> from_first(distributed::Group& group, std::optional<std::int64_t> own);

/// Gives all processes rank 0's weights, moments and state; each has a model and an optimiser of the same
/// shapes. → what rank 0 says, such as whether these are a checkpoint's
bool share_start(distributed::Collectives& others, const TrainingParts& parts, bool said_by_first);

}  // namespace transformer::train

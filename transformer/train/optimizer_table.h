// Which optimiser a configuration means.
#pragma once

#include <memory>

#include "transformer/train/optimizer.h"

namespace transformer::train {

/// The optimiser of these options, with nothing done yet. Throws InputError for groups that do not fit the
/// parameters, and, naming the key, for a variant that is not known.
std::unique_ptr<Optimizer> make_optimizer(NamedTensors parameters, const TrainOptions& options);

/// Throws what make_optimizer() or learning_rate() (schedule.h) would, and takes no memory.
void check_steps(const NamedTensors& parameters, const TrainOptions& options);

}  // namespace transformer::train

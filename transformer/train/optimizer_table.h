// Which optimiser a configuration means.
#pragma once

#include <memory>

#include "transformer/train/optimizer.h"

namespace transformer::train {

/// The optimiser of these options, with nothing done yet. Throws InputError for groups that do not fit the
/// parameters.
std::unique_ptr<Optimizer> make_optimizer(NamedTensors parameters, const TrainOptions& options);

}  // namespace transformer::train

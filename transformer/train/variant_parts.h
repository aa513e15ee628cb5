// How optimisers and schedules from outside are used. For this room alone.
#pragma once

#include "transformer/train/variants.h"

namespace transformer::train {

/// Both throw InputError, naming the key, for a variant that is not known or whose options are wrong.
std::unique_ptr<Optimizer> make_outside_optimizer(NamedTensors parameters, const TrainOptions& options);

/// Throws InputError, too, for a rate that is negative or no number.
double outside_rate(const TrainOptions& options, std::int64_t d_model, std::int64_t step);

}  // namespace transformer::train

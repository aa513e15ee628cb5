// What a training's numbers depend on besides its configuration.
#pragma once

#include <torch/types.h>

#include <string>

#include "transformer/data/prepared.h"
#include "transformer/train/train_state.h"

namespace transformer::train {

/// Those of this process.
Conditions current_conditions(const data::Prepared& data, const torch::Device& device,
                              torch::ScalarType precision);

/// Throws InputError, naming `source`, when a run would go on with other data or another precision. Another
/// device or number of threads only rounds differently: that is a warning.
void check_conditions(const Conditions& before, const Conditions& now, const std::string& source);

}  // namespace transformer::train

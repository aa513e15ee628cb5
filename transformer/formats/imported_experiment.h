// The configuration of a model that another program trained.
#pragma once

#include <filesystem>

#include "transformer/config/experiment.h"

namespace transformer::formats {

/// The same with data.max_tokens no larger than learned positions hold. source: the file that says what the
/// model is. Throws InputError, naming it and the key, for what is not valid as a configuration.
config::Experiment checked_experiment(config::Experiment experiment, const std::filesystem::path& source);

}  // namespace transformer::formats

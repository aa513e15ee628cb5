// Demands of the keys of data on one another.
#pragma once

#include <optional>

#include "transformer/config/validate.h"

namespace transformer::config {

std::optional<Problem> problem_of_data(const data::DataOptions& data);

}  // namespace transformer::config

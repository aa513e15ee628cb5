// What single keys cannot say: values that do not go together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transformer/config/experiment.h"

namespace transformer::config {

struct Problem {
  std::vector<std::string> keys;  ///< those that take part; the first is the one to name
  std::string message;            ///< what was expected and what was found
};

/// The first problem of an experiment, or nothing. The defaults have none.
std::optional<Problem> find_problem(const Experiment& experiment);

}  // namespace transformer::config

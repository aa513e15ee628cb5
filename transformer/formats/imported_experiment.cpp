#include "transformer/formats/imported_experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/config/validate.h"

namespace transformer::formats {

config::Experiment checked_experiment(config::Experiment experiment, const std::filesystem::path& source) {
  auto& most = experiment.data.max_tokens;
  if (const auto longest = models::longest_sequence(experiment.model))
    most = std::max<std::int64_t>(std::min(most, *longest - 1), 1);
  if (const auto problem = config::find_problem(experiment))
    throw InputError(
        fmt::format("{}: gives '{}': {}", source.string(), problem->keys.front(), problem->message));
  return experiment;
}

}  // namespace transformer::formats

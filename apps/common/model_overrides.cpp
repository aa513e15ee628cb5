#include "apps/common/model_overrides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/yaml.h"

namespace transformer::apps {

config::Experiment override_model(const std::string& model, const std::vector<std::string>& set,
                                  const std::vector<std::string>& sections) {
  const auto directory = checkpoints::resolve_model_directory(model);
  verify_some_checksums(directory, {checkpoints::kConfigFile});
  const auto file = directory / checkpoints::kConfigFile;
  auto experiment = config::load_resolved_experiment(file, set);
  for (const auto& change : config::differences(config::load_resolved_experiment(file), experiment)) {
    const auto allows = [&](const std::string& section) {
      return change.key == section || change.key.starts_with(section + ".");
    };
    if (std::ranges::none_of(sections, allows))
      throw InputError(fmt::format("--set {}={}: expected a key of {}, since the model is trained",
                                   change.key, change.right, fmt::join(sections, " or ")));
  }
  return experiment;
}

}  // namespace transformer::apps

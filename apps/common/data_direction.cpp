#include "apps/common/data_direction.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/base/temporary.h"
#include "transformer/data/prepared.h"
#include "transformer/data/summary.h"

namespace transformer::apps {

void check_direction(const std::filesystem::path& data, const data::DataOptions& of_model,
                     const std::string& model) {
  const data::PreparedPaths there{parent_folder(data)};
  if (!std::filesystem::exists(there.summary())) return;
  const auto options = data::read_summary(there.summary()).at("options");
  const auto source = options.value("source", ""), target = options.value("target", "");
  if (source == of_model.target && target == of_model.source)
    throw InputError(fmt::format("{}: expected data from {} to {}, as {} translates, found from {} to {}",
                                 data.string(), of_model.source, of_model.target, model, source, target));
}

}  // namespace transformer::apps

#include "apps/last_checkpoints.h"

#include <fmt/format.h>

#include "transformer/base/error.h"

namespace transformer::apps {

std::vector<std::filesystem::path> last_checkpoints(const store::RunDirectory& run, std::size_t count,
                                                    std::string_view option) {
  const auto checkpoints = run.list_checkpoints();
  if (checkpoints.size() < count)
    throw InputError(fmt::format("{}: {} {} needs that many checkpoints, found {}",
                                 run.checkpoints().string(), option, count, checkpoints.size()));
  std::vector<std::filesystem::path> directories;
  for (auto i = checkpoints.size() - count; i < checkpoints.size(); ++i)
    directories.push_back(checkpoints[i].path);
  return directories;
}

}  // namespace transformer::apps

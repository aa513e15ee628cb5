#include "apps/last_checkpoints.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/store/model_directory.h"

namespace transformer::apps {

std::vector<std::filesystem::path> last_checkpoints(const store::RunDirectory& run, std::size_t count,
                                                    std::string_view option) {
  auto found = run.list_checkpoints();
  if (found.empty())
    throw InputError(fmt::format("{}: {} {} needs that many checkpoints, found 0", run.checkpoints().string(),
                                 option, count));
  if (count == 1) return {found.back().path};
  verify_some_checksums(found.back().path, {store::kConfigFile});
  const auto every = store::load_model_experiment(found.back().path).train.save_every;
  const auto others =
      std::erase_if(found, [&](const auto& checkpoint) { return checkpoint.step % every != 0; });
  if (found.size() < count)
    throw InputError(
        fmt::format("{}: {} {} needs that many checkpoints at multiples of train.save_every, {}, found {}{}",
                    run.checkpoints().string(), option, count, every, found.size(),
                    others > 0 ? fmt::format(" and {} others", others) : ""));
  found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(count));
  if (const auto even = static_cast<std::int64_t>(count - 1) * every;
      found.back().step - found.front().step != even)
    spdlog::warn(
        "{}: the last {} checkpoints are {} updates apart instead of {}: some in between are missing",
        run.checkpoints().string(), count, found.back().step - found.front().step, even);
  std::vector<std::filesystem::path> directories;
  for (const auto& checkpoint : found) directories.push_back(checkpoint.path);
  return directories;
}

}  // namespace transformer::apps

#include "apps/common/last_checkpoints.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/train/checkpoint.h"
#include "transformer/train/options.h"
#include "transformer/train/run_setup.h"

namespace transformer::apps {
namespace {

/// Whether patience ended the training there, wherever that was.
bool ended_by_patience(const std::filesystem::path& checkpoint) {
  const auto file = checkpoint / train::kStateFile;
  return std::filesystem::exists(file) &&
         train::train_state_from_json(read_file(file), file.string()).finished;
}

}  // namespace

std::vector<std::filesystem::path> last_checkpoints(const checkpoints::RunDirectory& run, std::size_t count,
                                                    std::string_view option) {
  auto found = run.list_checkpoints();
  if (found.empty())
    throw InputError(fmt::format("{}: {} {} needs that many checkpoints, found 0", run.checkpoints().string(),
                                 option, count));
  if (count == 1) return {found.back().path};
  // As the run was last begun or resumed: its newest checkpoint may be from before that.
  const auto options = config::load_resolved_experiment(train::configuration_of(run)).train;
  const auto every = options.save_every;
  const auto end = ended_by_patience(found.back().path) ? found.back().step : options.steps;
  const auto others = std::erase_if(found, [&](const auto& checkpoint) {
    return !train::is_save_due(options, checkpoint.step) && checkpoint.step != end;
  });
  if (found.size() < count)
    throw InputError(
        fmt::format("{}: {} {} needs that many checkpoints at multiples of train.save_every, {}, or at the "
                    "end, found {}{}",
                    run.checkpoints().string(), option, count, every, found.size(),
                    others > 0 ? fmt::format(" and {} others", others) : ""));
  found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(count));
  const auto newest = found.back().step, span = newest - found.front().step;
  const auto past = newest % every;  // the last multiple: 0 but for the end
  const auto gaps = static_cast<std::int64_t>(count) - (past == 0 ? 1 : 2);
  if (const auto whole = past + gaps * every; span != whole)
    spdlog::warn(
        "{}: the last {} checkpoints are {} updates apart instead of {}: some in between are missing",
        run.checkpoints().string(), count, span, whole);
  std::vector<std::filesystem::path> directories;
  for (const auto& checkpoint : found) directories.push_back(checkpoint.path);
  return directories;
}

}  // namespace transformer::apps

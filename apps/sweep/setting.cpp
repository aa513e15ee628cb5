#include "apps/sweep/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/common/data_direction.h"
#include "apps/common/model_overrides.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/config/yaml.h"
#include "transformer/data/prepared.h"
#include "transformer/eval/metric_table.h"
#include "transformer/translation/translator.h"

namespace transformer::apps {
namespace {

namespace fs = std::filesystem;

config::Experiment load_experiment(const fs::path& checkpoint, const std::vector<std::string>& set) {
  auto experiment = override_model(checkpoint, set, {"data", "decode"});
  for (const auto& [key, ignored, value] :
       config::differences(override_model(checkpoint, {}, {}), experiment)) {
    constexpr std::array kOwn = {"decode.beam", "decode.alpha", "decode.nbest"};
    if (std::ranges::find(kOwn, key) != kOwn.end())
      throw InputError(
          fmt::format("--set {}={}: expected --beam and --alpha for what is varied", key, value));
  }
  experiment.decode.nbest = 1;
  return experiment;
}

/// What a search can be judged by: train.metric, or BLEU where that is of predictions.
eval::Metric metric_of(const config::Experiment& experiment) {
  auto metric = eval::find_score(experiment.train.metric, "train.metric");
  return metric.is_of_predictions() ? eval::find_metric("bleu") : metric;
}

/// A folder that the user names may be of other texts than those that the run was trained on.
data::PreparedFolder open_data(const fs::path& checkpoint, const data::DataOptions& options) {
  if (options.prepared == override_model(checkpoint, {}, {}).data.prepared)
    return data::PreparedFolder(options);
  data::PreparedFolder folder{fs::path(options.prepared)};
  check_direction(folder.paths.dev(), options, checkpoint);
  return folder;
}

}  // namespace

SweepSetting load_setting(const fs::path& checkpoint, const std::string& split, const CommonOptions& common,
                          const torch::Device& device) {
  const auto experiment = load_experiment(checkpoint, common.set);
  const auto folder = open_data(checkpoint, experiment.data);
  if (!folder.has_pairs)
    throw InputError(fmt::format("{}: expected sentence pairs, whose sources are translated, found documents",
                                 folder.paths.folder.string()));
  if (split == "test" && !folder.has_test)
    throw InputError(
        fmt::format("--data test: expected a test text in {}, found none", folder.paths.folder.string()));
  const auto sources = folder.paths.source_text(split), references = folder.paths.target_text(split);
  const auto metric = metric_of(experiment);
  SweepSetting setting{.decode = experiment.decode,
                       .sources = read_lines(sources),
                       .references = read_lines(references),
                       .metric = metric,
                       .signature = eval::signature_of(metric, 1),
                       .conditions = {}};
  setting.conditions = {{"data", split},
                        {"text", sha256(sha256_file(sources) + sha256_file(references))},
                        {"length_penalty", name_of(setting.decode.length_penalty)},
                        {"candidates", name_of(setting.decode.candidates)},
                        {"length_offset", setting.decode.length_offset},
                        {"device", device.is_cpu() ? "cpu" : "cuda"},
                        {"precision", translation::precision_of(common.precision, device)},
                        {"signature", setting.signature}};
  return setting;
}

std::string digest(const std::vector<fs::path>& checkpoints) {
  std::string lists;
  for (const auto& checkpoint : checkpoints) lists += read_file(checkpoint / checksums_name);
  return sha256(lists);
}

}  // namespace transformer::apps

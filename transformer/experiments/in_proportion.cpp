#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "transformer/config/flatten.h"
#include "transformer/config/scalar.h"
#include "transformer/config/yaml.h"
#include "transformer/experiments/bookkeeping.h"
#include "transformer/experiments/experiment_entries.h"

namespace transformer::experiments {

std::vector<ExperimentEntry> in_proportion(ExperimentEntries entries, const std::string& origin) {
  if (entries.base.empty())
    config::reject(origin, "relative", "expected a list with a base, found one without");
  for (const auto& entry : entries.experiments)
    for (const auto& setting : entry.set)
      if (!entry.relative.empty() && setting.values.size() > 1)
        config::reject(entry.origin, "relative",
                       fmt::format("expected one value of {} beside it, found a grid", setting.key));
  const auto variations = make_variations(entries, {});
  std::vector<ExperimentEntry> changes;
  for (const auto& variation : variations) {
    ExperimentEntry change{.name = variation.name, .origin = origin, .group = variation.group};
    const auto entry = std::ranges::find(entries.experiments, variation.name, &ExperimentEntry::name);
    if (entry != entries.experiments.end() && !entry->relative.empty()) change.name = entry->relative;
    if (std::ranges::find(changes, change.name, &ExperimentEntry::name) != changes.end())
      config::reject(
          entry == entries.experiments.end() ? origin : entry->origin, "relative",
          fmt::format("expected a name of its own for each experiment, found '{}' twice", change.name));
    change.paper = {.perplexity = variation.paper.perplexity,
                    .score = variation.paper.score,
                    .bleu = variation.paper.bleu};
    for (const auto& [key, left, right] :
         config::differences(variations.front().experiment, variation.experiment)) {
      if (key == "seed" || is_bookkeeping(key, variation.experiment)) continue;
      const bool steps = key == "train.steps";
      if (steps && variation.experiment.train.epochs > 0) continue;  // which say how long it trains
      const bool comparable = !steps || variations.front().experiment.train.epochs == 0;
      const auto from = config::parse_real(left), to = config::parse_real(right);
      if (comparable && from && to && *from > 0 && *to > 0)
        change.scale.push_back({.key = key, .factor = *to / *from, .origin = origin});
      else
        change.set.push_back({.key = key, .values = {YAML::Load(right).Scalar()}, .origin = origin});
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace transformer::experiments

#include <fmt/format.h>

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
  const auto variations = make_variations(entries, {});
  std::vector<ExperimentEntry> changes;
  for (const auto& variation : variations) {
    ExperimentEntry change{.name = variation.name, .origin = origin, .group = variation.group};
    const auto entry = std::ranges::find(entries.experiments, variation.name, &ExperimentEntry::name);
    if (entry != entries.experiments.end() && !entry->relative.empty()) change.name = entry->relative;
    change.paper = {.perplexity = variation.paper.perplexity, .bleu = variation.paper.bleu};
    for (const auto& [key, left, right] :
         config::differences(variations.front().experiment, variation.experiment)) {
      if (is_bookkeeping(key, variation.experiment)) continue;
      const auto from = config::parse_real(left), to = config::parse_real(right);
      if (from && to && *from > 0 && *to > 0)
        change.scale.push_back({.key = key, .factor = *to / *from, .origin = origin});
      else
        change.set.push_back({.key = key, .values = {right}, .origin = origin});
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace transformer::experiments

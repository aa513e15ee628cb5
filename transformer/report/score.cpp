#include "transformer/report/score.h"

#include <algorithm>

#include "transformer/eval/metric_table.h"
#include "transformer/train/options.h"

namespace transformer::report {

Score judged_by(const eval::Metric& metric) {
  return {.id = key_of(metric),
          .title = metric.name,
          .less_is_better = metric.less_is_better,
          .signature = eval::signature_of(metric, 1)};
}

Score score_named(const std::string& name) {
  const auto known = eval::score_names();
  if (std::ranges::find(known, name) == known.end()) return {.id = name, .title = name};
  return judged_by(eval::find_score(name, "train.metric"));
}

std::vector<Score> scores_of(const std::vector<WatchedRun>& runs) {
  const auto name_of = [](const WatchedRun& run) {
    const auto set =
        std::ranges::find(run.settings, "train.metric", &decltype(run.settings)::value_type::first);
    return set == run.settings.end() ? train::TrainOptions{}.metric : set->second;
  };
  std::vector<Score> scores;
  for (const auto& run : runs) {
    auto score = score_named(name_of(run));
    if (score.id != "perplexity" && std::ranges::find(scores, score.id, &Score::id) == scores.end())
      scores.push_back(std::move(score));
  }
  return scores;
}

}  // namespace transformer::report

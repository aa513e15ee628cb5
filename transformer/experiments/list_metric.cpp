#include "transformer/experiments/list_metric.h"

#include <fmt/format.h>

#include <string_view>

#include "transformer/base/error.h"
#include "transformer/eval/metric_table.h"

namespace transformer::experiments {
namespace {

bool is_of_labels(std::string_view metric) {
  return metric == "accuracy" || metric == "exact_match" || metric == "answer_f1";
}

}  // namespace

eval::Metric metric_of(const std::filesystem::path& file, const std::vector<Variation>& variations) {
  const auto& name = variations.front().experiment.train.metric;
  for (const auto& variation : variations)
    if (const auto& other = variation.experiment.train.metric; other != name)
      throw InputError(
          fmt::format("{}: {}: key 'train.metric': expected that of the base, {}, found {}: rows are "
                      "compared by one score",
                      file.string(), variation.name, name, other));
  for (const auto& variation : variations)
    if (has_parts(variation.experiment.data.examples) && !is_of_labels(name))
      throw InputError(fmt::format(
          "{}: {}: key 'train.metric': expected accuracy, exact_match or answer_f1, which compare "
          "rows of labels, found {}",
          file.string(), variation.name, name));
  auto metric = eval::find_score(name, fmt::format("{}: key 'train.metric'", file.string()));
  for (const auto& variation : variations)
    if (variation.experiment.data.examples == data::ExampleKind::documents && !metric.is_of_predictions())
      throw InputError(fmt::format(
          "{}: {}: key 'train.metric': expected a metric of predictions, such as perplexity, where "
          "data.examples is documents, found {}",
          file.string(), variation.name, name));
  return metric;
}

}  // namespace transformer::experiments

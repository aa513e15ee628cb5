#include "apps/score/counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "transformer/base/error.h"
#include "transformer/base/figure_text.h"
#include "transformer/eval/metric_table.h"
#include "transformer/translation/forced_scores.h"

namespace transformer::apps {

eval::Metric metric_of_predictions(const std::string& name) {
  auto metric = eval::find_score(name, "--metric");
  if (!metric.is_of_predictions())
    throw InputError(
        fmt::format("--metric {}: expected a metric of predictions, such as perplexity, found one of "
                    "texts, which transformer-evaluate computes",
                    name));
  return metric;
}

void write_counts(const eval::Metric& metric, const models::AnyModel& model,
                  const translation::TokenTexts& texts, std::span<const translation::ForcedPair> pairs,
                  std::int64_t batch_tokens, const std::function<void(std::size_t done)>& progress,
                  TranslationOutput& output, eval::Counts& sum) {
  for (auto& predictions : translation::forced_predictions(model, pairs, batch_tokens, progress)) {
    texts.add_to(predictions);
    const auto counts = metric.count_predictions(predictions);
    sum = sum.empty() ? counts : eval::sum_of({sum, counts});
    output.write(fmt::format("{}\n", fmt::join(counts, " ")));
  }
}

std::string describe_score(const eval::Metric& metric, const eval::Counts& sum) {
  return fmt::format("{}|{} = {}", metric.name, eval::signature_of(metric, 0),
                     figure_text(metric.score(sum), 2));
}

}  // namespace transformer::apps

// transformer-score --metric: what a metric of predictions counts, and its score.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/translation_output.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/eval/metric.h"
#include "transformer/translation/forced_batches.h"
#include "transformer/translation/token_texts.h"

namespace transformer::apps {

/// The metric of that name. Throws InputError for one of texts, which transformer-evaluate computes.
eval::Metric metric_of_predictions(const std::string& name);

/// Writes a line for each pair: the metric's counts, blanks between them. Adds the counts up in `sum`.
void write_counts(const eval::Metric& metric, const models::AnyModel& model,
                  const translation::TokenTexts& texts, std::span<const translation::ForcedPair> pairs,
                  std::int64_t batch_tokens, const std::function<void(std::size_t done)>& progress,
                  TranslationOutput& output, eval::Counts& sum);

/// "Perplexity|unit:subword|version:… = 12.34"
std::string describe_score(const eval::Metric& metric, const eval::Counts& sum);

}  // namespace transformer::apps

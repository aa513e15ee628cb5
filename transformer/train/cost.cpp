#include "transformer/train/cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transformer/models/size.h"
#include "transformer/variants/registry.h"

namespace transformer::train {

std::int64_t count_parameters(const config::Experiment& experiment,
                              const models::VocabularySizes& vocabulary) {
  return models::count_parameters(experiment.model, vocabulary).total();
}

double tokens_of_update(const TrainOptions& options, double length) {
  const auto tokens = static_cast<double>(std::min(options.source_tokens, options.target_tokens));
  return options.sentences > 0 ? std::min(tokens, static_cast<double>(options.sentences) * length) : tokens;
}

namespace {

/// Of an update. An encoder predicts some of the tokens that it reads.
models::TokenCounts counts_of(const config::Experiment& experiment, double tokens, double length) {
  auto counts = models::even_pairs(tokens, length);
  if (experiment.model.kind.name != models::kEncoder) return counts;
  const auto head = experiment.model.encoder.head;
  if (head == models::Head::none) counts.target *= experiment.train.mask_share;
  if (is_of_texts(head)) counts.target /= length;
  return counts;
}

}  // namespace

Cost reckon_cost(const config::Experiment& experiment, const models::VocabularySizes& vocabulary,
                 double length) {
  const auto tokens = tokens_of_update(experiment.train, length);
  return {
      .parameters = count_parameters(experiment, vocabulary),
      .source_tokens = tokens,
      .target_tokens = tokens,
      .flops = passes_of(experiment.train.r_drop) *
               models::training_flops(experiment.model, vocabulary, counts_of(experiment, tokens, length))};
}

double kept_numbers(const TrainOptions& options) {
  const auto& outside = options.variants.optimizer;
  const auto kept = outside ? variants::kept_by(outside) : facts_of(options.optimizer).kept;
  return static_cast<double>(kept.size());
}

std::string uncounted_flops(const config::Experiment& experiment, const std::string& name) {
  const auto uncounted = models::uncounted_flops(experiment.model);
  if (uncounted.empty()) return {};
  return fmt::format("FLOPs of {} are counted without those of {}, which declares none", name,
                     fmt::join(uncounted, " and "));
}

}  // namespace transformer::train

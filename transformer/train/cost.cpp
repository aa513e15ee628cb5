#include "transformer/train/cost.h"

#include <algorithm>

#include "transformer/models/size.h"

namespace transformer::train {

std::int64_t count_parameters(const config::Experiment& experiment,
                              const models::VocabularySizes& vocabulary) {
  return models::count_parameters(experiment.model, vocabulary).total();
}

Cost reckon_cost(const config::Experiment& experiment, const models::VocabularySizes& vocabulary,
                 double length) {
  const auto tokens =
      static_cast<double>(std::min(experiment.train.source_tokens, experiment.train.target_tokens));
  return {.parameters = count_parameters(experiment, vocabulary),
          .source_tokens = tokens,
          .target_tokens = tokens,
          .flops = models::training_flops(experiment.model, vocabulary, models::even_pairs(tokens, length))};
}

}  // namespace transformer::train

// The costs of a training that follow from its configuration, for planning in programs without LibTorch. Only
// this file knows which model a configuration means. A Task measures the same costs.
#pragma once

#include <cstdint>
#include <string>

#include "transformer/config/experiment.h"

namespace transformer::train {

struct Cost {
  std::int64_t parameters = 0;
  double source_tokens = 0;  ///< real tokens per update, up to the first limit that is reached
  double target_tokens = 0;
  double flops = 0;  ///< matrix products of an update, forward and backward

  bool operator==(const Cost&) const = default;
};

/// How many numbers are trained, with vocabularies of these sizes.
std::int64_t count_parameters(const config::Experiment& experiment,
                              const models::VocabularySizes& vocabulary);

/// Real tokens of an update on each side, for sentences of `length` tokens, up to where its first limit is
/// reached.
double tokens_of_update(const TrainOptions& options, double length);

/// With vocabularies of these sizes, for sentences of `length` tokens on each side.
Cost reckon_cost(const config::Experiment& experiment, const models::VocabularySizes& vocabulary,
                 double length);

/// How many numbers the optimiser keeps for each number that is trained: Adam its two moments. Throws
/// InputError, naming the key, for a variant that is not known.
double kept_numbers(const TrainOptions& options);

/// A note on missing FLOPs, if a variant from outside does not declare its own: "FLOPs of NAME are counted
/// without those of model.variants.feed_forward: gated, which declares none". Usually empty.
std::string uncounted_flops(const config::Experiment& experiment, const std::string& name);

}  // namespace transformer::train

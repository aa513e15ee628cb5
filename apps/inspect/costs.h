// transformer-inspect's report on a model: parameters, FLOPs, memory, departures from the paper.
#pragma once

#include "transformer/config/experiment.h"
#include "transformer/models/options.h"

namespace transformer::apps {

/// What is shown: an experiment, and the sizes that its data decide.
struct Subject {
  config::Experiment experiment;
  models::VocabularySizes vocabulary;
};

/// Whether a training in the precision of that name has activations of two bytes.
inline bool is_half(const std::string& precision) {
  return precision == "bf16" || precision == "fp16";
}

/// Prints them, for sentences of `length` tokens on each side.
void print_costs(const Subject& subject, double length, const std::string& precision, bool as_json);

}  // namespace transformer::apps

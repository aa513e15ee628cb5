// What transformer-inspect shows of a model: parameters, FLOPs, memory, departures from the paper.
#pragma once

#include "transformer/config/experiment.h"
#include "transformer/models/options.h"

namespace transformer::apps {

/// What is shown: an experiment, and the sizes that its data decide.
struct Subject {
  config::Experiment experiment;
  models::VocabularySizes vocabulary;
};

/// Prints them, for sentences of `length` tokens on each side.
void print_costs(const Subject& subject, double length, bool bf16, bool as_json);

}  // namespace transformer::apps

// transformer-inspect --update: the examples of an update of a training.
#pragma once

#include <cstdint>
#include <string>

namespace transformer::apps {

/// Prints the examples of a run's update, counted from 1, by the run's own plan: their numbers in the
/// training set, ids and texts, pass by pass, and the learning rate of the step. Subwords that
/// data.bpe_dropout drew are those of that epoch. Throws InputError for a folder that is no run, for data
/// that have changed since, and for an update that the run's configuration does not have.
void print_update(const std::string& run, std::int64_t update, bool as_json);

}  // namespace transformer::apps

// What transformer-score reads.
#pragma once

#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/translation/forced_batches.h"

namespace transformer::apps {

/// What is named on the command line; empty: nothing.
struct ScoredTexts {
  std::string source, target;  ///< files of lines; "-" is standard input
  std::string data;            ///< in their place train, dev, test, or a data set's file
};

/// Sentences and their translations, line by line, as the model's ids; of a language model the lines of the
/// target alone. Or the examples of a data set. Throws InputError for texts that are not those of such a
/// model, where files differ in lines, and for lines that are longer than the model takes. model_name: what
/// it is called in messages; experiment: names its data.
std::vector<translation::ForcedPair> read_pairs(const ScoredTexts& texts, checkpoints::LoadedModel& model,
                                                const config::Experiment& experiment,
                                                const std::string& model_name);

}  // namespace transformer::apps

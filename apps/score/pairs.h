// What transformer-score reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/translation/forced_batches.h"

namespace transformer::apps {

/// What is named on the command line; empty: nothing.
struct ScoredTexts {
  std::string source, target;  ///< files of lines; "-" is standard input
  std::string data;            ///< in their place train, dev, test, or a data set's file

  std::vector<std::filesystem::path> files() const;  ///< those that are named
};

/// Sentences and their translations, line by line, as the model's ids; of a language model the lines of the
/// target alone. Or the examples of a data set. Throws InputError for texts that do not fit the model, for
/// files that differ in lines, and for lines that are too long. model_name: what the model is called in
/// messages.
std::vector<translation::ForcedPair> read_pairs(const ScoredTexts& texts, checkpoints::LoadedModel& model,
                                                const std::string& model_name);

}  // namespace transformer::apps

// What transformer-score reads.
#pragma once

#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/translation/forced_batches.h"

namespace transformer::apps {

/// Sentences and their translations, line by line, as the model's ids; "-" is standard input. Throws
/// InputError where the files differ in lines, and for lines that are longer than the model takes.
std::vector<translation::ForcedPair> read_pairs(const std::string& source_file,
                                                const std::string& target_file,
                                                const checkpoints::LoadedModel& model);

}  // namespace transformer::apps

// The sentences on which transformer-export compares.
#pragma once

#include <string>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::apps {

/// The first `most` lines of `file` (- is standard input) that are not empty, as the model's source ids;
/// without a file those of the model's dev set; where that is not there either, random ids, with a warning.
/// Throws InputError for a file that cannot be read or has no text.
formats::Sample export_sample(const checkpoints::LoadedModel& model, const std::string& file,
                              std::size_t most);

}  // namespace transformer::apps

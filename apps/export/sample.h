// The sentences on which transformer-export compares.
#pragma once

#include <string>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::apps {

/// Source ids to compare an export on: the first `most` lines of `file` that are not empty ("-" is standard
/// input). Without a file they come from the model's dev set. If that is missing, they are random ids, with a
/// warning. Throws InputError for a file that cannot be read or has no text.
formats::Sample export_sample(const checkpoints::LoadedModel& model, const std::string& file,
                              std::size_t most);

/// Normalises the texts as the tokenizer does, for a format whose readers do not. A warning says how many
/// have changed.
void normalize(formats::Sample& sample, const data::Tokenizer& tokenizer, const std::string& format);

}  // namespace transformer::apps

// Whether prepared data are of a model's languages.
#pragma once

#include <filesystem>
#include <string>

#include "transformer/data/options.h"

namespace transformer::apps {

/// Throws InputError where a prepared data set goes from the target language of `model` to its source
/// language: with one vocabulary for both, nothing else tells. One that was moved out of its folder passes.
void check_direction(const std::filesystem::path& data, const data::DataOptions& of_model,
                     const std::string& model);

}  // namespace transformer::apps

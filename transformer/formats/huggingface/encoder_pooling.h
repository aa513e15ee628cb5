// What stands for a text in a folder of sentence-transformers.
#pragma once

#include <filesystem>
#include <optional>

#include "transformer/models/options.h"

namespace transformer::formats::encoders {

/// Of modules.json, whose first module is in this folder; nothing without that file. Throws InputError,
/// naming the file, for other modules, and for another pooling than mean or cls.
std::optional<models::Pooling> read_pooling(const std::filesystem::path& folder);

}  // namespace transformer::formats::encoders

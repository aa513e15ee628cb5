// The target's seeds as files, for libFuzzer.
#pragma once

#include <filesystem>

namespace transformer::fuzz {

/// Writes each seed to a file of `folder`, which is created, and the words to `folder`.dict in the form of
/// libFuzzer's dictionaries. True if it could.
bool write_seeds(const std::filesystem::path& folder);

}  // namespace transformer::fuzz

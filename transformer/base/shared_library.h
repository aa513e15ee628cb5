// Shared libraries, before they are loaded.
#pragma once

#include <filesystem>

namespace transformer {

/// Throws InputError for a shared library (ELF) that was cut off: the loader would map what is not there, and
/// reading it would end the process. What is no such file at all is left to the loader to name.
void expect_whole_library(const std::filesystem::path& file);

}  // namespace transformer

// Numbers of a command line as people read them.
#pragma once

#include <CLI/CLI.hpp>

namespace transformer::apps {

/// CLI11 reads 010 as C does, which is 8. Throws CLI::ValidationError where an option that takes whole
/// numbers was given one with a leading zero.
void check_decimal(const CLI::App& app);

}  // namespace transformer::apps

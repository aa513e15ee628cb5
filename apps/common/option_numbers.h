// Numbers of a command line as people read them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace transformer::apps {

/// CLI11 reads 010 as C does, which is 8, and takes nan to lie in any range. Throws CLI::ValidationError
/// where an option that takes whole numbers was given one with a leading zero, or one that takes real numbers
/// nan.
void check_numbers(const CLI::App& app);

/// What CLI11 says of a value that is none of its option's type, with the type.
std::string say_type(const CLI::App& app, const std::string& message);

}  // namespace transformer::apps

// Numbers of a command line as people read them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace transformer::apps {

/// CLI11 reads 010 as C does, which is 8, and takes nan to lie in any range. Throws CLI::ValidationError
/// where an option that takes whole numbers was given one with a leading zero, or one that takes real numbers
/// nan.
void check_numbers(const CLI::App& app);

/// CLI11's message about a value of the wrong type, with the option's type added.
std::string say_type(const CLI::App& app, const std::string& message);

}  // namespace transformer::apps

// Standard input and output, and what else is read and written as it comes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace transformer {

/// A file's name in messages: "standard input" for "-" or nothing.
std::string input_name(const std::string& path);

/// A descriptor for reading, the caller's own. "-" or nothing is standard input. Throws InputError for
/// what cannot be read.
int open_input(const std::string& path);

/// A descriptor for writing, the caller's own, where a path names what is written to as it is: standard
/// output ("-" or nothing), what this process was given open (/dev/stdout, /dev/fd/3), a pipe or a device.
/// Nothing where it names a file, a folder, a disk or what is not there yet. Throws what throw_file_error
/// says.
std::optional<int> open_direct_output(const std::string& path);

}  // namespace transformer

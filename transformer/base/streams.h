// Standard input and output, and what else is read and written as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace transformer {

/// A file's name in messages: "standard input" for "-" or nothing.
std::string input_name(const std::string& path);

/// A descriptor for reading, the caller's own. "-" or nothing is standard input. Throws InputError for
/// what cannot be read.
int open_input(const std::string& path);

/// Reads at most bytes.size() bytes and waits for the first one. → their number, 0 at the end. `name` stands
/// for the source in the errors of throw_file_error.
std::size_t read_some(int descriptor, std::span<char> bytes, const std::string& name);

/// Reads all of a pipe that this process was given open, such as a shell's <(…) or /dev/stdin, whose writer
/// exists. It can be read once. Nothing if the path names anything else, even a named pipe. Throws InputError
/// for more than `most` bytes.
std::optional<std::string> read_given_pipe(const std::string& path, std::uintmax_t most);

/// A descriptor for writing, owned by the caller, for one of these:
/// * Standard output ("-" or nothing).
/// * A descriptor that this process was given open (/dev/stdout, /dev/fd/3).
/// * A pipe or a device.
///
/// Nothing for a file, a folder, a disk or a path that does not exist yet. Throws as throw_file_error does.
std::optional<int> open_direct_output(const std::string& path);

}  // namespace transformer

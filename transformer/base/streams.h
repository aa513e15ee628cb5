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

/// What there is to read, at most as many bytes as there is room for; how many, and 0 at the end. Waits for
/// the first. `name` stands for the source in what throw_file_error throws.
std::size_t read_some(int descriptor, std::span<char> bytes, const std::string& name);

/// All that comes out of a pipe that this process was given open, such as a shell's <(…) or what /dev/stdin
/// may be: who writes into it is there. It can be read once. Nothing where the path names anything else, a
/// named pipe too. Throws InputError for more than `most` bytes.
std::optional<std::string> read_given_pipe(const std::string& path, std::uintmax_t most);

/// A descriptor for writing, the caller's own, where a path names what is written to as it is: standard
/// output ("-" or nothing), what this process was given open (/dev/stdout, /dev/fd/3), a pipe or a device.
/// Nothing where it names a file, a folder, a disk or what is not there yet. Throws what throw_file_error
/// says.
std::optional<int> open_direct_output(const std::string& path);

}  // namespace transformer

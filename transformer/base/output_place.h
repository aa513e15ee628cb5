// The places where a program may write: not over its inputs, and not into folders that belong together.
#pragma once

#include <filesystem>
#include <vector>

namespace transformer {

/// The target of a path: symbolic links are followed, even to a place that does not exist. The result ends in
/// a name ("X" for "X/."). Throws InputError for a cycle of links.
std::filesystem::path followed(const std::filesystem::path& path);

/// Throws InputError if an input file or folder is the output or lies in it, under any name or link. "-" is
/// standard input or output, which may be a file.
void check_apart(const std::filesystem::path& output_name, const std::vector<std::filesystem::path>& inputs);

/// For every output that the user names. Checks it as check_apart does. Everything above it that exists must
/// be a folder, and none may be the checkpoints of a run, which only the training changes.
void check_output_place(const std::filesystem::path& output,
                        const std::vector<std::filesystem::path>& inputs);

/// The same for a folder that is replaced as a whole (AtomicDirectory). It must not be the working directory
/// or one above it, because that would change under a process that works there.
void check_whole_folder(const std::filesystem::path& output,
                        const std::vector<std::filesystem::path>& inputs);

/// As check_output_place, for a folder that may be there already and is filled.
void check_output_folder(const std::filesystem::path& output);

/// The same for a file: there may be nothing yet, or a file that is not a part of something whole (listed in
/// the checksums.sha256 beside it), such as a model.
void check_output_file(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

}  // namespace transformer

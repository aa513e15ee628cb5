// Where a program may write: not over what it reads, and not into what belongs together.
#pragma once

#include <filesystem>
#include <vector>

namespace transformer {

/// Where a path leads: what is behind a symbolic link, be it there or not, as a path that ends in a name ("X"
/// for "X/."). Throws InputError for a circle.
std::filesystem::path followed(const std::filesystem::path& path);

/// Throws InputError when one of the files or folders that a program reads is its output, or lies in it, by
/// whatever name or link. "-" is standard input or output, which may be a file.
void check_apart(const std::filesystem::path& output_name, const std::vector<std::filesystem::path>& inputs);

/// For every output that the user names: as check_apart, and all above it that is there must be folders, and
/// none of them the checkpoints of a run, which the training alone adds to and deletes.
void check_output_place(const std::filesystem::path& output,
                        const std::vector<std::filesystem::path>& inputs);

/// The same for a folder that takes its place as a whole (AtomicDirectory): it must not be the working
/// directory, nor one above it, which would change under whoever works there.
void check_whole_folder(const std::filesystem::path& output,
                        const std::vector<std::filesystem::path>& inputs);

/// As check_output_place, for a folder that may be there already and is filled.
void check_output_folder(const std::filesystem::path& output);

/// The same for a file: there may be nothing yet, or a file that is not a part of something whole (listed in
/// the checksums.sha256 beside it), such as a model.
void check_output_file(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

}  // namespace transformer

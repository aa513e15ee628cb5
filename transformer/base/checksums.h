// SHA-256 sums, so that a damaged file is noticed before it is used.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace transformer {

/// The file in a folder that holds the sums of the others, in the format that `sha256sum -c` reads.
inline constexpr std::string_view checksums_name = "checksums.sha256";

/// SHA-256 of `bytes`, as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

/// SHA-256 of a file's content. Throws InputError when it cannot be read, or is a folder, a pipe or a device.
std::string sha256_file(const std::filesystem::path& path);

/// Writes `folder`/checksums.sha256 with the sums of all files in the folder and below, sorted by name.
/// Throws RunError when it cannot be written.
void write_checksums(const std::filesystem::path& folder);

/// The sums in `folder`/checksums.sha256 by file name. Throws InputError when it is missing or has a line
/// that is not well formed or names a file elsewhere.
std::map<std::string, std::string> read_checksums(const std::filesystem::path& folder);

/// Compares the files that `folder`/checksums.sha256 lists with their sums. Throws InputError naming the
/// first file that is damaged, missing, or not properly listed, or that is among `required` and not listed.
/// Files that are not listed do not matter otherwise.
void verify_checksums(const std::filesystem::path& folder, const std::vector<std::string>& required = {});

/// Does the same for some of the files. All of these must be listed.
void verify_some_checksums(const std::filesystem::path& folder, const std::vector<std::string>& names);

}  // namespace transformer

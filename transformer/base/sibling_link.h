// A name for something beside it: a symbolic link or, on a file system without links, a small file that holds
// the other's name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace transformer {

/// Lets `link` lead to the thing called `name` in the same folder, in one step where an earlier link leads
/// elsewhere. Failures throw what throw_file_error says of them.
void link_to_sibling(const std::filesystem::path& link, const std::string& name);

/// What a link says, be there something of that name or not. Nothing where there is no link. A small file
/// counts as one if it holds one line: what it means is for the caller to know.
std::optional<std::filesystem::path> linked_sibling(const std::filesystem::path& link);

}  // namespace transformer

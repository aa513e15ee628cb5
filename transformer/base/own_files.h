// Which folders hold nothing but what these programs wrote: only they are ever replaced or deleted.
#pragma once

#include <filesystem>
#include <optional>

namespace transformer {

/// The first entry below `folder`, by name, that its checksums.sha256 does not list: a file of the user's, a
/// link, a folder without a listed file, or what cannot be read. Nothing where there is none; contents are
/// not looked at.
std::optional<std::filesystem::path> foreign_entry(const std::filesystem::path& folder);

/// Throws InputError naming the first entry below `folder` that is not listed, or whose content is not what
/// was listed: somebody else wrote or changed it. What is listed and missing is no loss. An empty folder
/// passes; what is no folder does not.
void check_wholly_ours(const std::filesystem::path& folder);

}  // namespace transformer

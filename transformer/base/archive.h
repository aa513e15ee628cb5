// Archives of folders: tar files compressed by Zstandard, which `tar --zstd` reads and writes, too.
#pragma once

#include <filesystem>

namespace transformer {

/// Whether a name is that of an archive: it ends in ".tar.zst".
bool names_archive(const std::filesystem::path& name);

/// Writes the files and folders below `folder` into `archive`, in place of an earlier one. Equal folders give
/// equal bytes: names are sorted; owners, times and permissions are left out. Throws InputError for what is
/// neither file nor folder, such as a link.
void pack_folder(const std::filesystem::path& folder, const std::filesystem::path& archive);

/// Writes what `archive` has into `folder`, which must be there. Throws InputError for a file that is not
/// whole, or not an archive, and for entries that lead out of `folder`, are links, or come twice.
void unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace transformer

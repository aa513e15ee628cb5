// Mapped files that another program makes shorter.
#pragma once

#include <cstddef>
#include <filesystem>

namespace transformer {

/// From now on reading what is gone of `file`, which is mapped to `size` bytes at `data` (the system then
/// raises SIGBUS), ends the process with status 1, a line on standard error and in the log that names the
/// file, and no temporaries. Whichever thread reads: it never gets beyond.
void watch_mapping(const std::byte* data, std::size_t size, const std::filesystem::path& file);

/// To be called before the file is unmapped.
void forget_mapping(const std::byte* data);

}  // namespace transformer

// Mapped files that another program makes shorter.
#pragma once

#include <cstddef>
#include <filesystem>

namespace transformer {

/// `file` is mapped to `size` bytes at `data`. If a part of it is gone, reading that part raises SIGBUS. From
/// now on this ends the process with status 1, removes temporaries, and names the file on standard error and
/// in the log. It works for reads on any thread; the thread does not return from the read.
void watch_mapping(const std::byte* data, std::size_t size, const std::filesystem::path& file);

/// To be called before the file is unmapped.
void forget_mapping(const std::byte* data);

}  // namespace transformer

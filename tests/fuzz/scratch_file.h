// Bytes as a file, for readers that take a path. It lives in memory and leaves nothing behind after a crash.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/fuzz/check.h"

namespace transformer::fuzz {

class ScratchFile {
 public:
  ScratchFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "a file in memory can be made");
  }
  ~ScratchFile() { ::close(descriptor_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Replaces the file's content and returns its path.
  std::filesystem::path write(std::string_view bytes) const {
    const bool written =
        ::ftruncate(descriptor_, 0) == 0 &&
        ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    require(written, "a file in memory can be written");
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

}  // namespace transformer::fuzz

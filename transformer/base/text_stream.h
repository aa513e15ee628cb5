// A text file as a stream of characters, be it compressed.
#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <streambuf>

namespace transformer {

/// Reads a file from front to end. One that is compressed by gzip or Zstandard, which its first bytes tell,
/// is unpacked on the way.
class TextStream : public std::istream {
 public:
  /// Throws InputError when the file is missing, unreadable or a folder. Reading throws InputError for
  /// compressed data that are damaged or cut off, and RunError when the device fails.
  explicit TextStream(const std::filesystem::path& file);

 private:
  std::unique_ptr<std::streambuf> buffer_;
};

}  // namespace transformer

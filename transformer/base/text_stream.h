// A text file as a stream of characters, be it compressed.
#pragma once

#include <filesystem>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>

namespace transformer {

/// Reads a file or a descriptor from front to end. Data that gzip or Zstandard compressed are recognised by
/// their first bytes and unpacked on the way.
class TextStream : public std::istream {
 public:
  /// Throws InputError when the file is missing, unreadable or a folder. Reading throws InputError for
  /// compressed data that are damaged or cut off, and RunError when the device fails.
  explicit TextStream(const std::filesystem::path& file);

  /// The same of a descriptor, which stays the caller's, and open; `name` stands for it in messages.
  TextStream(int descriptor, const std::string& name);

 private:
  explicit TextStream(std::unique_ptr<std::streambuf> buffer);

  std::unique_ptr<std::streambuf> buffer_;
};

}  // namespace transformer

// A file mapped into memory for reading.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace transformer::data {

class MappedFile {
 public:
  /// Throws InputError when the file is missing, unreadable or no regular file. If another program shortens
  /// the file later, reading the missing part ends this process: see bus_error.h.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  /// Begins at a multiple of 8 bytes; empty for an empty file.
  std::span<const std::byte> bytes() const { return {data_, size_}; }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace transformer::data

// Zip archives whose entries are stored without compression, as torch.save writes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace transformer::formats {

/// Such an archive in memory, with or without zip64's larger numbers. The file is not trusted: each entry
/// must be inside it, entries together may not be longer than it, and each must have its checksum.
class StoredZip {
 public:
  /// Whether a content begins like one.
  static bool is_content(std::string_view content);

  /// content: of the file `path`, which messages name. Throws InputError for a damaged archive, for a
  /// compressed or encrypted entry, and for a name that occurs twice.
  StoredZip(std::string content, std::filesystem::path path);

  bool has(const std::string& name) const { return entries_.contains(name); }

  /// The bytes of an entry, as long as the archive lives. Throws InputError where there is none, or where its
  /// checksum says that it is damaged.
  std::string_view entry(const std::string& name) const;

  /// All entries, by name.
  struct Entry {
    std::size_t begin = 0, size = 0;
    std::uint32_t checksum = 0;
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void refuse(const std::string& problem) const;
  std::uint64_t number(std::uint64_t at, std::size_t bytes) const;
  void read_directory();
  std::uint64_t read_entry(std::uint64_t at, std::uint64_t& total);

  std::string content_;
  std::filesystem::path path_;
  std::map<std::string, Entry> entries_;
};

}  // namespace transformer::formats

#include "transformer/base/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <vector>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/base/text_file.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSuffix = ".tar.zst";
constexpr std::size_t kBlock = 1 << 16;  // bytes that are read at a time
constexpr const char* kLevel = "19";     // the smallest that needs no more memory to read

using Handle = std::unique_ptr<archive, int (*)(archive*)>;
using Entry = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;

[[noreturn]] void refuse(const fs::path& file, const std::string& found) {
  throw InputError(fmt::format("{}: expected an archive ({}), found {}", file.string(), kSuffix, found));
}

std::string words_of(archive* handle) {
  const auto* words = archive_error_string(handle);
  return words ? printable(words) : "an unknown error";
}

[[noreturn]] void fail_writing(const fs::path& file, archive* handle) {
  const auto error = archive_errno(handle);  // below 0: no error of the system
  throw_file_error(file, "writing", error > 0 ? error : EIO);
}

/// Whether a name stays below the folder that it is unpacked into.
bool stays_below(const fs::path& name) {
  return !name.empty() && name.is_relative() && std::ranges::find(name, "..") == name.end();
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

void write_entry(archive* handle, const fs::path& folder, const fs::path& path, const fs::path& to) {
  const auto check = [&](bool good) {
    if (!good) fail_writing(to, handle);
  };
  const auto status = fs::symlink_status(path);
  const bool is_file = fs::is_regular_file(status);
  if (!is_file && !fs::is_directory(status))
    throw InputError(fmt::format("{}: expected a file or a folder, found something else", path.string()));
  const Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), path.lexically_relative(folder).c_str());
  archive_entry_set_filetype(entry.get(), is_file ? AE_IFREG : AE_IFDIR);
  archive_entry_set_perm(entry.get(), is_file ? 0644 : 0755);
  archive_entry_set_mtime(entry.get(), 0, 0);
  const auto content = is_file ? read_file(path) : std::string();
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  check(archive_write_header(handle, entry.get()) == ARCHIVE_OK);
  check(archive_write_data(handle, content.data(), content.size()) ==
        static_cast<la_ssize_t>(content.size()));
}

void read_entry(archive* handle, archive_entry* entry, const fs::path& from, const fs::path& folder) {
  const fs::path name = archive_entry_pathname(entry);
  const auto place = (folder / name).lexically_normal();
  const auto type = archive_entry_filetype(entry);
  const bool is_link = archive_entry_hardlink(entry) || archive_entry_symlink(entry);
  if (!stays_below(name) || is_link || (type != AE_IFREG && type != AE_IFDIR))
    refuse(from, fmt::format("\"{}\", which is no file or folder below its own", printable(name.string())));
  if (type == AE_IFDIR) {
    fs::create_directories(place);
    return;
  }
  if (fs::exists(place)) refuse(from, fmt::format("\"{}\" twice", printable(name.string())));
  fs::create_directories(place.parent_path());
  std::ofstream out(place, std::ios::binary);
  std::array<char, kBlock> bytes{};
  for (;;) {
    const auto read = archive_read_data(handle, bytes.data(), bytes.size());
    if (read < 0) refuse(from, words_of(handle));
    if (read == 0) break;
    out.write(bytes.data(), read);
  }
  if (!out.flush()) throw_file_error(place, "writing", errno);
}

}  // namespace

bool names_archive(const fs::path& name) {
  return name.filename().string().ends_with(kSuffix);
}

void pack_folder(const fs::path& folder, const fs::path& archive) {
  AtomicFile file(archive);
  const Handle handle(archive_write_new(), archive_write_free);
  const auto check = [&](int status) {
    if (status != ARCHIVE_OK) fail_writing(archive, handle.get());
  };
  check(archive_write_set_format_gnutar(handle.get()));
  check(archive_write_add_filter_zstd(handle.get()));
  check(archive_write_set_filter_option(handle.get(), "zstd", "compression-level", kLevel));
  check(archive_write_open_filename(handle.get(), file.temporary().c_str()));
  for (const auto& path : sorted_entries(folder)) write_entry(handle.get(), folder, path, archive);
  check(archive_write_close(handle.get()));
  file.commit();
}

void unpack_archive(const fs::path& archive, const fs::path& folder) {
  const Handle handle(archive_read_new(), archive_read_free);
  archive_read_support_filter_zstd(handle.get());
  archive_read_support_format_tar(handle.get());
  if (archive_read_open_filename(handle.get(), archive.c_str(), kBlock) != ARCHIVE_OK)
    refuse(archive, words_of(handle.get()));
  archive_entry* entry = nullptr;
  int status = ARCHIVE_OK;
  while ((status = archive_read_next_header(handle.get(), &entry)) == ARCHIVE_OK)
    read_entry(handle.get(), entry, archive, folder);
  if (status != ARCHIVE_EOF) refuse(archive, words_of(handle.get()));
}

}  // namespace transformer

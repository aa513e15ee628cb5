#include "transformer/base/atomic_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/own_files.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void throw_existing(const fs::path& path) {
  throw InputError(fmt::format("{}: already exists; --overwrite replaces it", path.string()));
}

/// Another one than the descriptor's, which stays open.
std::FILE* stream_of(int descriptor, const fs::path& path) {
  const int copy = ::dup(descriptor);
  std::FILE* file = copy < 0 ? nullptr : ::fdopen(copy, "wb");
  if (file == nullptr) throw_file_error(path, "opening", errno);
  return file;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path)
    : path_(path), temporary_(path, Temporary::Kind::file), file_(stream_of(temporary_.descriptor(), path)) {}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (file_ == nullptr) throw std::logic_error("AtomicFile: written to after commit()");
  if (bytes == 0) return;  // `data` may be null then, which fwrite must not be given
  if (std::fwrite(data, 1, bytes, file_) != bytes) throw_file_error(path_, "writing", errno);
}

void AtomicFile::commit(Existing existing) {
  if (file_ == nullptr) throw std::logic_error("AtomicFile: committed twice");
  const bool later = in_temporary_folder(path_);  // each wait for the disk costs some ten milliseconds
  if (std::fflush(file_) != 0 || (!later && ::fsync(::fileno(file_)) != 0))
    throw_file_error(path_, "writing", errno);
  std::fclose(std::exchange(file_, nullptr));
  switch (existing) {
    case Existing::replace:
      temporary_.take_place();
      return;
    case Existing::refuse:
      if (!temporary_.take_free_place()) throw_existing(path_);
      return;
  }
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

AtomicDirectory::AtomicDirectory(const fs::path& path)
    : path_(followed(path)), parents_(path_), temporary_(path_, Temporary::Kind::folder) {}

AtomicDirectory::Parents::Parents(const fs::path& path) {
  std::error_code error;
  for (auto folder = parent_folder(path); !fs::exists(folder, error) && !error;
       folder = parent_folder(folder))
    made.push_back(folder);
  fs::create_directories(parent_folder(path), error);
  if (error) throw_file_error(path, "creating", error.value());
}

AtomicDirectory::Parents::~Parents() {
  std::error_code not_empty;
  for (const auto& folder : made) fs::remove(folder, not_empty);
}

void AtomicDirectory::commit(Existing existing) {
  std::vector<fs::path> folders = {temporary()};
  for (const auto& entry : fs::recursive_directory_iterator(temporary())) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) {
      folders.push_back(entry.path());
    } else {
      sync_to_disk(entry.path(), path_);
    }
  }
  for (const auto& folder : folders) sync_to_disk(folder, path_);

  if (temporary_.take_free_place()) return;
  switch (existing) {
    case Existing::refuse:
      throw_existing(path_);
    case Existing::replace:
      check_wholly_ours(path_);
      temporary_.replace_folder();
  }
}

void refuse_existing(const fs::path& path) {
  if (lies_at(path)) throw_existing(path);
}

}  // namespace transformer

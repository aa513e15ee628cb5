#include "transformer/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "transformer/base/error.h"

namespace transformer {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view temporary_mark = ".partial-";

[[noreturn]] void throw_failed(const fs::path& path, std::string_view action, int error) {
  throw RunError(
      fmt::format("{}: {} failed: {}", path.string(), action, std::generic_category().message(error)));
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// A trailing slash would make the name empty.
fs::path without_trailing_slash(const fs::path& path) {
  return path.has_filename() || !path.has_parent_path() ? path : path.parent_path();
}

/// A hidden name beside `path`, new to this process.
fs::path temporary_name(const fs::path& path) {
  static std::atomic<unsigned> counter = 0;
  return parent_of(path) /
         fmt::format(".{}{}{}-{}", path.filename().string(), temporary_mark, ::getpid(), ++counter);
}

void sync(const fs::path& path, const fs::path& named) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw_failed(named, "opening", errno);
  const int result = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  // Some network file systems cannot sync folders and say EINVAL; there is no more that one could do.
  if (result != 0 && error != EINVAL) throw_failed(named, "writing to disk", error);
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  int descriptor = -1;
  do {
    temporary_ = temporary_name(path_);
    descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);  // left by a killed process that had our number
  if (descriptor < 0) fail("creating");
  ::flock(descriptor, LOCK_EX | LOCK_NB);  // tells remove_abandoned_temporaries() that we live
  file_ = ::fdopen(descriptor, "wb");
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::fail(std::string_view action) const {
  throw_failed(path_, action, errno);
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (file_ == nullptr) throw std::logic_error("AtomicFile: written to after commit()");
  if (bytes == 0) return;  // `data` may be null then, which fwrite must not be given
  if (std::fwrite(data, 1, bytes, file_) != bytes) fail("writing");
}

void AtomicFile::commit() {
  if (file_ == nullptr) throw std::logic_error("AtomicFile: committed twice");
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail("writing");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renaming");
  std::fclose(std::exchange(file_, nullptr));
  sync(parent_of(path_), path_);
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

AtomicDirectory::AtomicDirectory(const fs::path& path) : path_(without_trailing_slash(path)) {
  std::error_code error;
  fs::create_directories(parent_of(path_), error);
  if (error) throw_failed(path_, "creating", error.value());
  do {
    temporary_ = temporary_name(path_);
  } while (!fs::create_directory(temporary_, error) && !error);
  if (error) throw_failed(path_, "creating", error.value());
  lock_ = ::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0) ::flock(lock_, LOCK_EX | LOCK_NB);
}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void AtomicDirectory::commit(Existing existing) {
  std::error_code error;
  std::vector<fs::path> folders = {temporary_};
  for (const auto& entry : fs::recursive_directory_iterator(temporary_)) {
    if (entry.is_symlink()) continue;
    if (entry.is_directory()) {
      folders.push_back(entry.path());
    } else {
      sync(entry.path(), path_);
    }
  }
  for (const auto& folder : folders) sync(folder, path_);

  if (!fs::exists(fs::symlink_status(path_, error))) {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw_failed(path_, "renaming", errno);
  } else if (existing == Existing::refuse) {
    throw InputError(fmt::format("{}: already exists and is not to be replaced", path_.string()));
  } else if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(temporary_, error);
  } else {
    // A file system without exchange: for a moment neither is there, but the old one is not lost.
    const fs::path old = temporary_name(path_);
    if (::rename(path_.c_str(), old.c_str()) != 0) throw_failed(path_, "renaming", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
      const int reason = errno;
      ::rename(old.c_str(), path_.c_str());
      throw_failed(path_, "renaming", reason);
    }
    fs::remove_all(old, error);
  }
  temporary_.clear();
  sync(parent_of(path_), path_);
}

void remove_abandoned_temporaries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && name.find(temporary_mark) != std::string::npos)
      found.push_back(entry.path());
  }
  for (const auto& path : found) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) continue;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, error);
    ::close(descriptor);
  }
}

}  // namespace transformer

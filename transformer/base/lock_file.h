// Lock files: held by a process, gone with it, and never a file of somebody else.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace transformer {

/// An open lock file, created if need be.
class LockFile {
 public:
  /// It will be written to, so it must be a file of its own: throws InputError for a symbolic link, for what
  /// is no file, and for a file that holds anything but the number of a process.
  explicit LockFile(const std::filesystem::path& path);
  ~LockFile();
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;

  /// Takes the lock and writes this process's number: 0, or an errno, EWOULDBLOCK where another holds it.
  /// Throws what throw_file_error says when the number cannot be written.
  int try_lock();

  /// The number of the process that took it last; 0 where there is none.
  pid_t holder() const;

  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace transformer

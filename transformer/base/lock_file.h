// Lock files: held by a process, gone with it, and never a file of somebody else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

namespace transformer {

/// An open lock file, created if need be.
class LockFile {
 public:
  /// The file will be written to, so it must be a lock file. Throws InputError for a symbolic link, for
  /// anything that is not a file, and for a file with other content than a process number.
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

/// One user of a folder at a time: FOLDER/.lock, held by a process and by the programs that inherit its
/// descriptor, and gone with the last of them, however they end.
class FolderLock {
 public:
  /// Creates the folder if need be. Throws InputError when another process holds the lock: "FOLDER: another
  /// USER is at work here (process N): …". If that process has ended, waits up to `patience` for the programs
  /// that it left behind. If the file system has no locks, only warns.
  explicit FolderLock(const std::filesystem::path& folder, const std::string& user,
                      std::chrono::milliseconds patience = {});

  int descriptor() const { return file_.descriptor(); }  ///< for programs to inherit

 private:
  LockFile file_;
};

}  // namespace transformer

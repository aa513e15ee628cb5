// Files and folders that are whole or absent: a reader, or a run after a crash, never sees half of one.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <vector>

#include "transformer/base/temporary.h"

namespace transformer {

/// What becomes of what lies at the place already.
enum class Existing { refuse, replace };

/// A file that appears under its name only when it is complete. If the name is a symbolic link, the file
/// replaces the link; for a file that the user named, pass followed(path) (output_place.h).
///
/// It is written under a temporary name in the same folder. commit() brings it to the disk and renames it.
/// All failures throw as throw_file_error does and name the file.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  /// Without a commit(), removes what was written and leaves an earlier file of that name as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// The temporary name of the content, for a writer that opens the file itself.
  const std::filesystem::path& temporary() const { return temporary_.path(); }

  /// Makes the file durable and visible. It replaces an earlier one unless that is refused; then an existing
  /// file, even a recent one, is an InputError. Nothing may be written afterwards.
  void commit(Existing existing = Existing::replace);

 private:
  std::filesystem::path path_;
  Temporary temporary_;
  std::FILE* file_ = nullptr;
};

/// Writes `content` through an AtomicFile.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// A folder that appears under its name only when it is complete.
///
/// Fill temporary() in any way, then commit(). Failures throw what throw_file_error says of them.
class AtomicDirectory {
 public:
  /// Makes an empty temporary folder beside `path`, or beside where this link leads; missing parents are
  /// created.
  explicit AtomicDirectory(const std::filesystem::path& path);

  /// The folder to write the content to. Without a commit() this object's destructor removes it.
  const std::filesystem::path& temporary() const { return temporary_.path(); }

  using Existing = transformer::Existing;
  /// Makes all files durable and renames the folder. If `path` exists and must not be replaced, throws
  /// InputError. If it is replaced, it must be wholly ours at this moment (check_wholly_ours, own_files.h).
  /// The two folders are exchanged in one step, and the old one is removed.
  void commit(Existing existing = Existing::refuse);

 private:
  /// The missing folders above a path, made; those that stay empty go with this object.
  struct Parents {
    explicit Parents(const std::filesystem::path& path);
    ~Parents();
    Parents(const Parents&) = delete;
    Parents& operator=(const Parents&) = delete;
    std::vector<std::filesystem::path> made;  ///< the deepest first
  };

  std::filesystem::path path_;
  Parents parents_;
  Temporary temporary_;
};

/// Throws InputError where something lies at `path` already: for a program that is about to work long for it.
void refuse_existing(const std::filesystem::path& path);

}  // namespace transformer

// Files and folders in the making: hidden, locked by the process that makes them, and gone when it ends.
#pragma once

#include <filesystem>

namespace transformer {

/// A hidden file or folder beside its final place. It is locked while its process lives, so one without a
/// lock was left by a killed process.
class Temporary {
 public:
  enum class Kind { file, folder };

  /// Creates it, empty, and removes what killed processes left of others for this place. Throws what
  /// throw_file_error says, naming `place`.
  Temporary(const std::filesystem::path& place, Kind kind);
  /// Removes what lies under the temporary name.
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }  ///< the temporary name
  int descriptor() const { return descriptor_; }  ///< of a file, open for writing; holds the lock

  /// Takes its place; a file replaces what is there. The content must be on the disk already, unless the
  /// place is inside another temporary folder of this process.
  void take_place();
  /// Takes its place if nothing is there; false where something is.
  bool take_free_place();
  /// Changes places with the folder that is there, in one step where the file system can; the old one is
  /// removed.
  void replace_folder();

 private:
  bool rename_into_place(unsigned flags);  // false with errno

  std::filesystem::path place_;
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Removes the temporary files and folders directly in `folder` that a killed process left behind, which it
/// knows by their names. Those that a living process still writes are locked by it and stay.
void remove_abandoned_temporaries(const std::filesystem::path& folder);

/// Makes a folder disappear in one step and then deletes it. Does nothing where there is none.
void remove_folder(const std::filesystem::path& folder);

/// Ends the process with `status`, without its temporary files and folders. Safe beside other threads that
/// make some: none takes its place half-made.
[[noreturn]] void exit_without_temporaries(int status);

/// Does not return once exit_without_temporaries() has begun on another thread: what fails from then on,
/// since its files are gone, is not to be reported.
void wait_if_exiting();

/// Whether a path lies in a temporary folder of this process, which will bring all of it to the disk at once.
bool in_temporary_folder(const std::filesystem::path& path);

/// The final place of a path in a temporary file or folder that this process makes or has given up: the name
/// that the user gave. Any other path is returned as it is.
std::filesystem::path intended_place(const std::filesystem::path& path);

/// Brings a file's or a folder's entries to the disk. Errors name `place`.
void sync_to_disk(const std::filesystem::path& path, const std::filesystem::path& place);

/// Whether there is anything of that name, be it a link to nowhere.
bool lies_at(const std::filesystem::path& path);

/// The folder in which a path lies; "." where it has none.
std::filesystem::path parent_folder(const std::filesystem::path& path);

}  // namespace transformer

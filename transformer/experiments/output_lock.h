// One runner an output folder.
#pragma once

#include <filesystem>

#include "transformer/base/lock_file.h"

namespace transformer::experiments {

/// Held by the runner and by all programs that it began, as long as one of them lives.
class OutputLock {
 public:
  /// Throws InputError when another runner works in the folder, or it is no place for outputs
  /// (check_output_place). Waits, up to half a minute, for programs that
  /// a runner which is no more has left behind: they are about to stop.
  explicit OutputLock(const std::filesystem::path& folder);

  int descriptor() const { return file_.descriptor(); }  ///< for the programs to inherit

 private:
  LockFile file_;
};

}  // namespace transformer::experiments

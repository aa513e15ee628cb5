// One training a run directory.
#pragma once

#include "transformer/base/lock_file.h"
#include "transformer/store/run_directory.h"

namespace transformer::store {

/// Held by the process that trains in a run directory, and gone with it, however it ends.
class RunLock {
 public:
  /// Creates the run directory and its checkpoints folder if need be. Throws InputError when another process
  /// holds the lock, naming it. Where the file system has no locks, a warning is all.
  explicit RunLock(const RunDirectory& run);

 private:
  LockFile file_;
};

}  // namespace transformer::store

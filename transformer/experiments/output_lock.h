// One runner an output folder.
#pragma once

#include <filesystem>

namespace transformer::experiments {

/// Held by the runner and by all programs that it began, as long as one of them lives.
class OutputLock {
 public:
  /// Throws InputError when another runner works in the folder. Waits, up to half a minute, for programs that
  /// a runner which is no more has left behind: they are about to stop.
  explicit OutputLock(const std::filesystem::path& folder);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  int descriptor() const { return descriptor_; }  ///< for the programs to inherit

 private:
  int descriptor_ = -1;
};

}  // namespace transformer::experiments

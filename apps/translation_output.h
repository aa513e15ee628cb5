// Where transformer-translate writes to.
#pragma once

#include <optional>
#include <string>

#include "transformer/base/atomic_file.h"

namespace transformer::apps {

/// Standard output, to which translations go as they come, or a file that appears when it is complete.
class TranslationOutput {
 public:
  /// An empty path means standard output. A file begins, and fails, before there is any work to lose: throws
  /// InputError where something lies at `path` already and is not to be replaced, or is no file, and where no
  /// file can be made.
  TranslationOutput(const std::string& path, bool overwrite);

  /// Throws RunError when the device fails.
  void write(const std::string& text);

  /// Makes the file appear.
  void finish();

 private:
  std::optional<AtomicFile> file_;
};

}  // namespace transformer::apps

// Text as a program's output, such as translations.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transformer/base/atomic_file.h"

namespace transformer::apps {

/// Throws InputError where `file` is one of the others, which are read or written, too: the later one would
/// go over the other. None of them need be there yet.
void check_differs(const std::string& file, const std::vector<std::filesystem::path>& others);

/// A file that appears when it is complete; or standard output, a pipe or a device, to which text goes as it
/// comes.
class TranslationOutput {
 public:
  /// An empty path or "-" means standard output. A file is opened here, so that errors come before any work.
  /// Throws InputError in these cases:
  /// * The file cannot be made.
  /// * `path` exists and is not to be replaced, or is not a file.
  /// * `path` is one of `inputs`, or belongs to a model or a run.
  TranslationOutput(const std::string& path, bool overwrite,
                    const std::vector<std::filesystem::path>& inputs = {});

  /// Throws RunError when the device fails.
  void write(const std::string& text);

  /// Makes the file appear.
  void finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string name_;
  Existing existing_;
  std::unique_ptr<std::FILE, Close> stream_;  // or
  std::optional<AtomicFile> file_;
};

}  // namespace transformer::apps

#include "apps/translation_output.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "transformer/base/error.h"

namespace transformer::apps {

TranslationOutput::TranslationOutput(const std::string& path, bool overwrite) {
  if (path.empty()) return;
  if (!overwrite) refuse_existing(path);
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
    throw InputError(fmt::format(
        "{}: expected a file or nothing, found a folder or a device, which is not replaced", path));
  file_.emplace(path);
}

void TranslationOutput::write(const std::string& text) {
  if (file_) {
    file_->write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw RunError("cannot write to standard output");
  }
}

void TranslationOutput::finish() {
  if (file_) file_->commit();
}

}  // namespace transformer::apps

#include "apps/common/translation_output.h"

#include <fmt/format.h>

#include <cerrno>

#include "transformer/base/error.h"
#include "transformer/base/output_place.h"
#include "transformer/base/streams.h"

namespace transformer::apps {

void check_differs(const std::string& file, const std::vector<std::filesystem::path>& others) {
  for (const auto& other : others)
    if (std::filesystem::weakly_canonical(file) == std::filesystem::weakly_canonical(other))
      throw InputError(fmt::format("{}: expected another file than those that are read or written, found {}",
                                   file, other.string()));
}

TranslationOutput::TranslationOutput(const std::string& path, bool overwrite,
                                     const std::vector<std::filesystem::path>& inputs)
    : name_(path.empty() ? "-" : path), existing_(overwrite ? Existing::replace : Existing::refuse) {
  check_apart(name_, inputs);
  if (name_ == "-") return;
  if (const auto descriptor = open_direct_output(name_)) {
    stream_.reset(::fdopen(*descriptor, "w"));
    if (!stream_) throw_file_error(name_, "opening", errno);
    return;
  }
  check_output_file(name_, inputs);
  if (!overwrite) refuse_existing(name_);
  file_.emplace(followed(name_));
}

void TranslationOutput::write(const std::string& text) {
  if (file_) {
    file_->write(text);
    return;
  }
  auto* const stream = stream_ ? stream_.get() : stdout;  // whose failure run_program knows
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() || std::fflush(stream) != 0) {
    throw RunError(fmt::format("cannot write to {}", name_ == "-" ? "standard output" : name_));
  }
}

void TranslationOutput::finish() {
  if (file_) file_->commit(existing_);
}

}  // namespace transformer::apps

// Continuations as this program prints them.
#pragma once

#include <string>

#include "apps/common/translation_output.h"
#include "transformer/generation/generate.h"

namespace transformer::apps {

struct PrintedForm {
  bool json = false;     ///< a line of JSON for each text
  bool prompt = true;    ///< texts begin with their prompts
  bool one_text = true;  ///< there is one, which may have several lines
};

/// One text, with a line end. Each of several texts is one line, in which line ends are written as \n.
std::string printed(const generation::Continuation& found, const std::string& prompt, std::size_t number,
                    std::int64_t sample, const PrintedForm& form);

/// Prints one text while it grows.
class StreamPrinter {
 public:
  explicit StreamPrinter(TranslationOutput& output) : output_(output) {}

  /// Prints what `text` has beyond what was printed, up to an unfinished character at its end.
  void show(std::string text);
  /// The whole text is known.
  void finish(const std::string& text);

 private:
  void print(std::string_view text);

  TranslationOutput& output_;
  std::size_t shown_ = 0;
};

}  // namespace transformer::apps

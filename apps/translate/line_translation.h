// Lines of text to lines of output, by one process or several.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/translate/together.h"
#include "transformer/base/line_numbers.h"
#include "transformer/base/progress.h"
#include "transformer/search/options.h"
#include "transformer/translation/translator.h"

namespace transformer::apps {

struct LineTranslationSettings {
  std::string model;
  translation::TranslatorOptions translator = {};
  search::DecodeOptions decode;
  std::string prefix = {};  ///< a file with the beginning of each translation; empty: none
  std::optional<search::DrawOptions> draw = {};  ///< translations are drawn
  bool nbest = false;  ///< n lines for each, "line ||| text ||| score", the form that Moses introduced
  bool quiet = false;
};

/// A line for each translation; or one for each of the n best, in the form that Moses introduced. number: of
/// the line, from 0.
TranslatedLine translated_line(const translation::Translation& translation, std::size_t number, bool nbest);

/// The lines of a file; empty: none.
std::vector<std::string> read_prefixes(const std::string& file);
/// Throws InputError unless there are as many as lines of the input, or there is no file.
void check_prefixes(const std::string& file, const std::vector<std::string>& prefixes, std::size_t lines);

/// Warns of what of the input is not in the output, in one line each. longest: tokens of a line
void warn_of_input(const LineNumbers& truncated, std::int64_t longest, std::size_t windows_line_ends);

class LineTranslation {
 public:
  /// Loads the model. group: the processes that translate together, if there are several.
  LineTranslation(const LineTranslationSettings& settings, distributed::Group* group);

  /// Translates the next lines of the input, which only rank 0 has; no lines at its end. The results are in
  /// the order of the lines. On the CPU they are the same for any number of processes. Throws Interrupted if
  /// any process was interrupted.
  std::vector<TranslatedLine> translate(const std::vector<std::string>& lines);

  std::size_t processes() const { return group_ ? static_cast<std::size_t>(group_->size()) : 1; }
  std::int64_t longest_source() const { return translator_.longest_source(); }
  /// Throws as check_prefixes() does.
  void finish();

 private:
  std::vector<TranslatedLine> translate_own(const std::vector<std::string>& lines,
                                            const std::vector<std::size_t>& numbers);

  const LineTranslationSettings settings_;
  distributed::Group* group_;
  translation::Translator translator_;
  Progress progress_;
  const std::vector<std::string> prefixes_;
  std::size_t done_ = 0;
  std::size_t given_ = 0;  ///< lines that are translated at the moment
};

}  // namespace transformer::apps

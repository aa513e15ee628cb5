// Translations with the search that found them.
#pragma once

#include <string>

#include "apps/translate/line_translation.h"

namespace transformer::apps {

/// A page with more sentences, or wider beams, would be more than a person reads and a browser draws.
inline constexpr std::size_t kMostExplained = 20;
inline constexpr std::int64_t kWidestExplained = 16;

struct ExplainFiles {
  std::string page;  ///< ends in .html or .json
  std::string input, output;
  bool overwrite = false;
  std::int64_t processes = 1;
};

/// Translates the input as LineTranslation does, and writes the trees of all searches. Throws InputError for
/// more than kMostExplained lines, for a beam above kWidestExplained, for several processes, and for a name
/// with another end.
int translate_explained(const LineTranslationSettings& settings, const ExplainFiles& files);

}  // namespace transformer::apps

// Translations with the search that found them.
#pragma once

#include <string>

#include "apps/translate/line_translation.h"

namespace transformer::apps {

struct ExplainFiles {
  std::string page;  ///< ends in .html or .json
  std::string input, output;
  bool overwrite = false;
  std::int64_t processes = 1;
};

/// Translates the input as LineTranslation does, and writes the trees of all searches. Throws InputError for
/// several processes, and as ExplainOutput and check_explained() do.
int translate_explained(const LineTranslationSettings& settings, const ExplainFiles& files);

}  // namespace transformer::apps

// Lines that several processes translate together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "transformer/distributed/group.h"

namespace transformer::apps {

/// What becomes of a line of the input.
struct TranslatedLine {
  std::string output;                   ///< lines, each with its end
  bool truncated = false;               ///< the rest of the line was not translated
  std::vector<std::int32_t> best = {};  ///< the ids of the best translation
};

/// Translates lines. `numbers` are their line numbers in the input, from 0.
using TranslateLines = std::function<std::vector<TranslatedLine>(const std::vector<std::string>& lines,
                                                                 const std::vector<std::size_t>& numbers)>;

/// Translates lines that rank 0 knows, dealt out to the processes in turn. `first` is the input's line number
/// of the first one. → all translations, in every process; empty if there were no lines. If `translate`
/// throws Interrupted in one process, this throws it in all.
std::vector<TranslatedLine> translate_together(distributed::Group& group,
                                               const std::vector<std::string>& lines, std::size_t first,
                                               const TranslateLines& translate);

}  // namespace transformer::apps

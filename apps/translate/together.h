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

/// Translates lines, of which these are the numbers in the input, from 0.
using TranslateLines = std::function<std::vector<TranslatedLine>(const std::vector<std::string>& lines,
                                                                 const std::vector<std::size_t>& numbers)>;

/// Translates some lines, known to rank 0, of which the first has this number: each process every so many of
/// them. → all of them in each process; nothing where there were none. `translate` may throw Interrupted:
/// then this does in all processes.
std::vector<TranslatedLine> translate_together(distributed::Group& group,
                                               const std::vector<std::string>& lines, std::size_t first,
                                               const TranslateLines& translate);

}  // namespace transformer::apps

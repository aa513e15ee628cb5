// Which side of a text is which language, as far as the texts themselves tell.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/data/options.h"

namespace transformer::data {

/// The first pair of the training text with something on both sides; nothing where no pair has.
std::optional<std::pair<std::string, std::string>> first_training_pair(const DataOptions& options);

/// The splits, dev or test, whose sides are exchanged beside those of the training text: the source reads
/// like the training text's target, and the target like its source. A side reads like the side of the
/// training text on which its triples of bytes are more probable. Both sides of a split must be more probable
/// on the wrong one, by kExchangedMargin (a natural logarithm per triple). The first 2 000 pairs are read.
std::vector<std::string> exchanged_splits(const DataOptions& options);

/// Two languages are apart by 1 and more, related ones by a half; two samples of one by a few hundredths.
inline constexpr double kExchangedMargin = 0.1;

}  // namespace transformer::data

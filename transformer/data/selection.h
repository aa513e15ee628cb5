// Which of a split's encoded pairs are kept, and how much of them.
#pragma once

#include <cstdint>

#include "transformer/data/corpus.h"
#include "transformer/data/dataset.h"

namespace transformer::data {

/// Drops the pairs that do not pass the filters from both sides.
FilterCounts filter(Sentences& source, Sentences& target, const DataOptions& options);

/// Cuts both sides of each pair to `most` tokens and returns the number of pairs that were longer.
std::int64_t shorten(Sentences& source, Sentences& target, std::int64_t most);

}  // namespace transformer::data

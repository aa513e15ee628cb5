// One split, from raw text to its files in a prepared folder.
#pragma once

#include <cstdint>

#include "transformer/data/corpus.h"
#include "transformer/data/prepare.h"
#include "transformer/data/prepared.h"

namespace transformer::data {

struct SplitText : Split {
  std::int64_t examples;  ///< that its texts hold
};

/// Encodes a split, filters it where it is the training data, and writes its data set and, of other splits,
/// the raw text beside it. What is in memory does not depend on the split's size.
SplitReport make_split(const SplitText& text, const DataOptions& options, const PrepareSettings& settings,
                       const PreparedPaths& paths, const Tokenizer& source, const Tokenizer& target);

}  // namespace transformer::data

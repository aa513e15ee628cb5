// The vocabularies of a prepared folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "transformer/data/options.h"
#include "transformer/data/prepare.h"
#include "transformer/data/prepared.h"
#include "transformer/data/training_text.h"

namespace transformer::data {

/// What a first reading of a split finds.
struct SplitSize {
  std::int64_t examples = 0;
  std::vector<std::int64_t> lines = {};  ///< of each file of documents, to the last one that is taken
  std::vector<TrainingSize> sides = {};
};

/// Of each split, by name.
using Sizes = std::map<std::string, SplitSize>;

/// Makes the tokenizers of both sides and writes them to where `paths` says. Returns how many lines were too
/// long to shape them.
std::int64_t make_vocabularies(const DataOptions& options, const PrepareSettings& settings,
                               const Sizes& sizes, const PreparedPaths& paths);

}  // namespace transformer::data

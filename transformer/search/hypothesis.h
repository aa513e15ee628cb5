// What a search finds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "transformer/search/tree_outputs.h"

namespace transformer::search {

struct Hypothesis {
  std::vector<std::int32_t> ids = {};  ///< without begin and end
  double score = 0.0;                  ///< log_probability / length_penalty, by which hypotheses are ranked
  double log_probability = 0.0;        ///< natural logarithm, the end token's share included
  bool finished = false;  ///< ended by choice; false: the length limit allowed nothing but the end
};

/// The result of a search for a batch: each sentence's hypotheses, best first.
using Found = std::vector<std::vector<Hypothesis>>;

/// What bounds the outputs of a batch, beside their lengths.
struct Bounds {
  /// What the outputs of each sentence begin with, at most limits[i] tokens. Empty: they are free.
  std::span<const std::vector<std::int32_t>> prefixes = {};
  /// An output of limits[i] tokens is over as it is. Else only kEos may follow it.
  bool cut = false;
  /// Outputs that are trees. The limit comes first: what it ends need be none. Nor need what begins with a
  /// prefix.
  TreeOutputs trees = {};

  std::span<const std::int32_t> prefix(std::size_t sentence) const {
    return prefixes.empty() ? std::span<const std::int32_t>() : prefixes[sentence];
  }
};

/// Called before each step of a search. May throw to stop it.
using BeforeStep = std::function<void()>;

}  // namespace transformer::search

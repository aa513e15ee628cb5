// What a search finds.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace transformer::search {

struct Hypothesis {
  std::vector<std::int32_t> ids = {};  ///< without begin and end
  double score = 0.0;                  ///< log_probability / length_penalty, by which hypotheses are ranked
  double log_probability = 0.0;        ///< natural logarithm, the end token's share included
  bool finished = false;  ///< ended by choice; false: the length limit allowed nothing but the end
};

/// The result of a search for a batch: each sentence's hypotheses, best first.
using Found = std::vector<std::vector<Hypothesis>>;

/// Called before each step of a search. May throw to stop it.
using BeforeStep = std::function<void()>;

}  // namespace transformer::search

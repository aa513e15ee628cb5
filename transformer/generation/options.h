// How texts are continued.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transformer/search/sampling.h"

namespace transformer::generation {

struct GenerationOptions {
  search::SamplingOptions sampling = {};
  std::int64_t max_tokens = 256;       ///< of a continuation
  std::int64_t samples = 1;            ///< continuations of each prompt
  std::vector<std::string> stop = {};  ///< a continuation ends where one of these would begin
  std::uint64_t seed = 1;              ///< of all draws
  std::int64_t batch = 32;             ///< texts that are continued at once, by each worker
  /// Tokens of a text that the model reads at most. 0: those of learned positions, else no limit.
  std::int64_t window = 0;

  /// Whether a text that is as long goes on from its later half. Else it ends.
  bool slide = false;

  bool operator==(const GenerationOptions&) const = default;
};

}  // namespace transformer::generation

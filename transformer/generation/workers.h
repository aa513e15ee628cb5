// How the threads of a CPU share texts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace transformer::generation {

struct Workers {
  int workers = 1;  ///< which have texts of their own
  int threads = 1;  ///< of each
};

/// Each worker reads all weights for its texts, so few texts have one worker, whose threads share each
/// product.
inline Workers workers_for(std::int64_t texts, int threads) {
  constexpr std::int64_t kTextsOfWorker = 32;
  const auto workers = static_cast<int>(std::clamp<std::int64_t>(texts / kTextsOfWorker, 1, threads));
  return {workers, threads / workers};
}

}  // namespace transformer::generation

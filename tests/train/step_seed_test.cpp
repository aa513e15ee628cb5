#include "transformer/train/step_seed.h"

#include <set>

#include "tests/catch.h"

namespace transformer::train {
namespace {

TEST_CASE("each seed, step and rank has a seed of its own, and rank 0 that of a single process") {
  std::set<std::uint64_t> seeds;
  for (const std::int64_t seed : {0, 1, 2})
    for (std::int64_t step = 1; step <= 50; ++step)
      for (std::int64_t rank = 0; rank < 8; ++rank) seeds.insert(seed_of_step(seed, step, rank));
  CHECK(seeds.size() == 3 * 50 * 8);
  // By hand from random.h, as runs before several processes had them.
  CHECK(seed_of_step(1, 1, 0) == splitmix(kSplitmixIncrement + 1 + kSplitmixIncrement));
}

}  // namespace
}  // namespace transformer::train

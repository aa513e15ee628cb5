#include "transformer/translation/workers.h"

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/catch.h"

using namespace transformer;

TEST_CASE("each piece is done once, by workers that exist") {
  for (const std::size_t workers : {1, 2, 5}) {
    for (const std::size_t pieces : {0, 1, 3, 100}) {
      std::vector<std::atomic<int>> done(pieces);
      std::mutex mutex;
      std::set<std::size_t> seen;
      translation::for_pieces(workers, pieces, [&](std::size_t worker, std::size_t piece) {
        ++done[piece];
        const std::lock_guard lock(mutex);
        seen.insert(worker);
      });
      for (const auto& count : done) CHECK(count == 1);
      if (!seen.empty()) CHECK(*seen.rbegin() < std::min(workers, pieces));
    }
  }
}

TEST_CASE("what a piece throws ends the work and reaches the caller") {
  std::atomic<int> done = 0;
  const auto work = [&](std::size_t, std::size_t piece) {
    if (piece == 3) throw std::runtime_error("piece 3");
    ++done;
  };
  REQUIRE_THROWS_WITH(translation::for_pieces(1, 1000, work), "piece 3");
  CHECK(done == 3);
  REQUIRE_THROWS_WITH(translation::for_pieces(4, 100000, work), "piece 3");
  CHECK(done < 100000);
}

#include "transformer/engine/team.h"

#include <algorithm>
#include <numeric>

#include "tests/catch.h"

namespace transformer::engine {

TEST_CASE("each member of a team does its part of each round, and all have finished when it is over") {
  for (const int members : {1, 2, 5}) {
    Team team(members);
    REQUIRE(team.members() == members);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(members));
    std::int64_t expected = 0;
    for (std::int64_t round = 0; round < 2000; ++round) {
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // threads fall asleep
      std::vector<std::int64_t> pieces(7, round);
      team.run([&](int member) {
        const Share share(std::ssize(pieces), member, members);
        for (auto i = share.first; i < share.end; ++i) pieces[static_cast<std::size_t>(i)] += i;
        sums[static_cast<std::size_t>(member)] += round;
      });
      CHECK(std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0}) == 7 * round + 21);
      expected += round;
    }
    CHECK(std::ranges::all_of(sums, [&](auto sum) { return sum == expected; }));
  }
}

TEST_CASE("shares follow one another and differ by one at most") {
  for (const std::int64_t pieces : {0, 1, 6, 7, 100}) {
    std::int64_t end = 0;
    for (int member = 0; member < 6; ++member) {
      const Share share(pieces, member, 6);
      CHECK(share.first == end);
      CHECK(share.end - share.first >= pieces / 6);
      CHECK(share.end - share.first <= pieces / 6 + 1);
      end = share.end;
    }
    CHECK(end == pieces);
  }
}

}  // namespace transformer::engine

#include "transformer/search/lengths.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.h"

namespace transformer {

TEST_CASE("length penalties") {
  CHECK(search::length_penalty({.alpha = 0.6}, 1) == Approx(1.0));
  CHECK(search::length_penalty({.alpha = 1.0}, 7) == Approx(2.0));
  CHECK(search::length_penalty({.alpha = 0.6}, 19) == Approx(std::pow(4.0, 0.6)));
  CHECK(search::length_penalty({.alpha = 0.5, .length_penalty = search::LengthPenalty::length}, 9) ==
        Approx(3.0));
  CHECK(search::length_penalty({.alpha = 0.0}, 9) == Approx(1.0));
}

TEST_CASE("no continuation of a hypothesis scores above its best possible score") {
  const auto penalty = GENERATE(search::LengthPenalty::gnmt, search::LengthPenalty::length);
  const auto alpha = GENERATE(-0.5, 0.0, 0.6, 2.0);
  const search::DecodeOptions options{.alpha = alpha, .length_penalty = penalty};
  const double bound = search::best_possible_score(options, -3.0, 4, 10);
  double best = -std::numeric_limits<double>::infinity();
  for (std::int64_t tokens = 4; tokens <= 10; ++tokens)
    best = std::max(best, -3.0 / search::length_penalty(options, tokens + 1));
  CHECK(bound == Approx(best));
}

}  // namespace transformer

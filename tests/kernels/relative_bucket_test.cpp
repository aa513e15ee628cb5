#include "transformer/kernels/relative_bucket.h"

#include <vector>

#include "tests/catch.h"

using namespace transformer::kernels;

// Expected: the formula of T5's own program, in single precision as there.
TEST_CASE("distances fall into T5's buckets") {
  const std::vector<std::int64_t> distances{-200, -128, -127, -91, -90, -64, -63, -32, -31, -16, -15, -8,
                                            -7,   -1,   0,    1,   7,   8,   11,  12,  15,  16,  22,  23,
                                            31,   32,   45,   46,  63,  64,  90,  91,  127, 128, 200};
  const std::vector<std::int64_t> both{15, 15, 15, 15, 14, 14, 13, 12, 11, 10, 9,  8,  7,  1,  0,  17, 23, 24,
                                       24, 25, 25, 26, 26, 27, 27, 28, 28, 29, 29, 30, 30, 31, 31, 31, 31};
  const std::vector<std::int64_t> before{31, 31, 31, 29, 29, 26, 26, 21, 21, 16, 15, 8, 7, 1, 0, 0, 0, 0,
                                         0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < distances.size(); ++i) {
    INFO(distances[i]);
    CHECK(relative_bucket(distances[i], true) == both[i]);
    CHECK(relative_bucket(distances[i], false) == before[i]);
  }
}

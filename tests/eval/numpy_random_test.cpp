#include "transformer/eval/numpy_random.h"

#include <string>
#include <vector>

#include "tests/catch.h"

// The constants were printed by NumPy 2.4: numpy.random.default_rng(seed).

using transformer::eval::NumpyRandom;

namespace {

std::vector<std::uint64_t> draw(NumpyRandom& random, std::uint64_t limit, int count) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(random.below(limit));
  return numbers;
}

std::vector<std::uint64_t> draw(std::uint64_t seed, std::uint64_t limit, int count) {
  NumpyRandom random(seed);
  return draw(random, limit, count);
}

using Numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("raw bits are PCG64's, for seeds of one word and of two") {
  const auto raw = [](std::uint64_t seed) {
    NumpyRandom random(seed);
    Numbers numbers;
    for (int i = 0; i < 4; ++i) numbers.push_back(random.next());
    return numbers;
  };
  CHECK(raw(0) == Numbers{0xa30febcfd9c2825f, 0x4510bdf882d9d721, 0xa7d3da94ecde8b8, 0x43b27b61342f01d});
  CHECK(raw(12345) ==
        Numbers{0x3a32b18db2ffc19d, 0x51171315c9e4c4de, 0xcc2024823444efd9, 0xad1f06aea486e910});
  CHECK(raw(std::uint64_t{1} << 53U) ==
        Numbers{0x47cf26b9053e52e9, 0xfa5a1b9cfc46787f, 0xd9ee23dbca00eb13, 0x970079704d7c2d2b});
}

TEST_CASE("bounded integers are those of integers() and choice()") {
  CHECK(draw(12345, 3004, 8) == Numbers{2100, 682, 2369, 951, 613, 2395, 1930, 2031});
  CHECK(draw(7, 3004, 8) == Numbers{2838, 1877, 2055, 2695, 1737, 2330, 2504, 676});
  // A quarter of what is drawn for this limit is drawn again.
  CHECK(draw(0, std::uint64_t{3} << 30U, 8) ==
        Numbers{2740052423, 2051797211, 1646485848, 131984958, 242365461, 53239240, 564575468, 2091914554});
  NumpyRandom random(12345);
  CHECK(draw(random, std::uint64_t{1} << 32U, 3) == Numbers{3003105693, 976400781, 3387213022});
  CHECK(random.below(1) == 0);  // takes nothing
  CHECK(draw(random, 6, 10) == Numbers{1, 1, 4, 3, 4, 5, 2, 5, 1, 3});
}

TEST_CASE("truth values are those of integers(2, dtype=bool)") {
  const auto coins = [](std::uint64_t seed) {
    NumpyRandom random(seed);
    std::string text;
    for (int i = 0; i < 70; ++i) text += random.coin() ? '1' : '0';
    return text;
  };
  CHECK(coins(12345) == "1011100110000011111111110100110110110001100011010100110001011100011110");
  CHECK(coins(0) == "1111101001000001010000111001101111110011110101111111000011000101100001");
}

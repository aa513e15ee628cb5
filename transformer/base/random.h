// Random numbers that are the same with every standard library, unlike the distributions of <random>.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace transformer {

/// splitmix64's increment (Steele, Lea and Flood 2014): 2^64 divided by the golden ratio, made odd.
inline constexpr std::uint64_t kSplitmixIncrement = 0x9e3779b97f4a7c15U;

/// splitmix64's finaliser: every bit of the result depends on every bit of z.
constexpr std::uint64_t splitmix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// The seed that a number, from 0, makes of another seed: of splitmix64 begun with that, the value so
/// numbered.
constexpr std::uint64_t mix(std::uint64_t seed, std::int64_t number) {
  return splitmix(seed + (static_cast<std::uint64_t>(number) + 1) * kSplitmixIncrement);
}

/// splitmix64: 64 bits of state, one addition and three xor-shifts a number.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += kSplitmixIncrement;
    return splitmix(state_);
  }

  /// Uniform in 0 … bound - 1, bound above 0: values of the last, incomplete round are drawn again.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t incomplete = -bound % bound;  // 2^64 mod bound
    std::uint64_t value = next();
    while (value < incomplete) value = next();
    return value % bound;
  }

  /// True in `percent` of 100 cases.
  bool chance(unsigned percent) { return below(100) < percent; }

  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace transformer

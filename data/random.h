// Random numbers that are the same with every standard library.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transformer/base/random.h"

namespace transformer::demo {

/// splitmix64 (Steele, Lea and Flood 2014): 64 bits of state, one addition and three xor-shifts a number. The
/// distributions of <random> differ between standard libraries, and the corpus must not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += kSplitmixIncrement;
    return splitmix(state_);
  }

  /// A number in [0, n); n > 0. The bias of the modulus is below n / 2^64.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

  /// A number in [low, high].
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  }

  /// True in `percent` of 100 cases.
  bool chance(unsigned percent) { return below(100) < percent; }

  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  /// An item, the earlier in the list the more often: the first of n is 2n - 1 times as frequent as the last.
  /// As in real text, some words are common and most are not.
  template <typename T>
  const T& pick_common(const std::vector<T>& items) {
    const std::size_t one = below(items.size()), other = below(items.size());
    return items[one < other ? one : other];
  }

 private:
  std::uint64_t state_;
};

/// FNV-1a of the text, mixed with the seed: which word combinations a seed holds out of training.
inline std::uint64_t stable_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return splitmix(hash ^ splitmix(seed + 1));
}

}  // namespace transformer::demo

// How the corpus draws its words.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "transformer/base/random.h"

namespace transformer::demo {

using transformer::Random;

/// A number in [low, high].
inline int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low) + 1));
}

/// An item, the earlier in the list the more often: the first of n is 2n - 1 times as frequent as the last.
/// As in real text, some words are common and most are not.
template <typename T>
const T& pick_common(Random& random, const std::vector<T>& items) {
  const auto one = random.below(items.size()), other = random.below(items.size());
  return items[one < other ? one : other];
}

/// FNV-1a of the text, mixed with the seed: which word combinations a seed holds out of training.
inline std::uint64_t stable_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return splitmix(hash ^ splitmix(seed + 1));
}

}  // namespace transformer::demo

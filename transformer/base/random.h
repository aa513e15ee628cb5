// Random numbers that are the same with every standard library, unlike the distributions of <random>.
#pragma once

#include <cstdint>

namespace transformer {

/// splitmix64's increment (Steele, Lea and Flood 2014): 2^64 divided by the golden ratio, made odd.
inline constexpr std::uint64_t kSplitmixIncrement = 0x9e3779b97f4a7c15U;

/// splitmix64's finaliser: every bit of the result depends on every bit of z.
constexpr std::uint64_t splitmix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace transformer

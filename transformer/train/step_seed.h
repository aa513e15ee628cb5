// The seed of LibTorch's generators for one update.
#pragma once

#include <cstdint>

#include "transformer/base/random.h"

namespace transformer::train {

/// A number that differs for each seed, step and rank. Processes have different examples, so they need
/// different masks where LibTorch's generators draw these (ops/dropout.h).
constexpr std::uint64_t seed_of_step(std::int64_t seed, std::int64_t step, std::int64_t rank) {
  const auto first = splitmix(static_cast<std::uint64_t>(seed) * kSplitmixIncrement +
                              static_cast<std::uint64_t>(step) + kSplitmixIncrement);
  return rank == 0 ? first : mix(first, rank);
}

}  // namespace transformer::train

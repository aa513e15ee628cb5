// Packed sequences of given lengths, for tests and checks.
#pragma once

#include <algorithm>
#include <vector>

#include "transformer/ops/sequences.h"

namespace transformer::ops {

/// Of these lengths, behind each other, on the host.
inline Sequences sequences_of(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> offsets{0}, places;
  std::int64_t longest = 0;
  for (const auto length : lengths) {
    offsets.push_back(offsets.back() + length);
    for (std::int64_t i = 0; i < length; ++i) places.push_back(i);
    longest = std::max(longest, length);
  }
  const auto host = torch::tensor(offsets);
  return {host, host.to(torch::kInt), torch::tensor(places), longest};
}

}  // namespace transformer::ops

// Distances between positions, in buckets that share a bias (T5, Raffel et al. 2020, section 2.1).
#pragma once

#include <cmath>
#include <cstdint>

namespace transformer::kernels {

inline constexpr std::int64_t kRelativeBuckets = 32;
/// Distances from here on, to either side, are alike.
inline constexpr std::int64_t kFarthest = 128;

/// The bucket of a key that stands `distance` positions behind its query (before it: negative). Near
/// distances have a bucket each. Far ones share buckets, whose widths grow logarithmically. If a query sees
/// both sides (in an encoder), each side has half of the buckets. Otherwise a key behind the query counts as
/// distance 0.
inline std::int64_t relative_bucket(std::int64_t distance, bool both_sides) {
  const std::int64_t buckets = both_sides ? kRelativeBuckets / 2 : kRelativeBuckets;
  const std::int64_t first = both_sides && distance > 0 ? buckets : 0;
  const std::int64_t apart = both_sides ? std::abs(distance) : (distance < 0 ? -distance : 0);
  const std::int64_t exact = buckets / 2;
  if (apart < exact) return first + apart;
  const double growth = std::log2(static_cast<double>(apart) / static_cast<double>(exact)) /
                        std::log2(static_cast<double>(kFarthest) / static_cast<double>(exact));
  const auto bucket = exact + static_cast<std::int64_t>(growth * static_cast<double>(buckets - exact));
  return first + (bucket < buckets ? bucket : buckets - 1);
}

}  // namespace transformer::kernels

// Sentences in order of their lengths, so that batches cut from it have little padding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/data/dataset.h"

namespace transformer::data {

/// Tokens of both sides.
template <typename Integer>
struct Tokens {
  Integer source;
  Integer target;
};

/// Of a sentence, with its end tokens. Small, because lengths are looked up in the order of a shuffle.
using Length = Tokens<std::int32_t>;

/// By sentence number; 0 on a side that the data do not have. (No memory holds the batch of a sentence that
/// this takes for a shorter one.)
std::vector<Length> lengths_of(const Dataset& data);

/// Which lengths count as equal: those of one bucket. A bucket is a token wide, or `width` thousandths of its
/// lengths where that is more.
struct Bucketing {
  std::int64_t width = 0;
  Tokens<std::int64_t> start = {0, 0};  ///< where the buckets begin, in thousandths of a token, 0 … 999
  bool source_first = false;            ///< sort by source, then target length; otherwise the other way round
};

struct LengthOrder {
  std::vector<std::int64_t> sentences;
  double mates = 0;  ///< how many sentences, on average, a sentence has in its buckets of both sides
};

/// Sorts sentences by the buckets of one side, then by those of the other; equal ones keep their order. The
/// second rise in one bucket of the first and fall in the next, so that a batch across both has little
/// padding, too.
LengthOrder sort_by_length(std::vector<std::int64_t> sentences, std::span<const Length> lengths,
                           const Bucketing& bucketing);

}  // namespace transformer::data

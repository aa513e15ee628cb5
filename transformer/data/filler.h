// Batches in numbers of tokens that recur.
//
// A device's library of matrix products chooses a kernel for each shape that it meets: on an H200 that takes
// the host 120 to 350 µs, against 15 to 19 for a shape that it knows. Hardly two batches have the same number
// of tokens, and each needs some thirty products. So a batch is filled up with copies of its own tokens,
// which nobody asks anything of.
#pragma once

#include "transformer/data/batching.h"

namespace transformer::data {

/// The smallest of the numbers that recur which is not below: sixteen between a power of two and the next,
/// from 128 on; multiples of 8 below.
std::int64_t recurring(std::int64_t tokens);

/// Appends examples until each side of the batch has such a number of tokens. They are not longer than the
/// batch's own, and have tokens on each side that the batch has. target_output stays as it is, because nobody
/// asks anything of them; so do size and indices. The batch is not empty.
void fill_up(Batch& batch);

}  // namespace transformer::data

// Batches in numbers of tokens that recur.
//
// A device's matrix library chooses a kernel for each new shape. On an H200 this takes the host 120 to 350
// µs; a known shape takes 15 to 19 µs. Few batches have the same number of tokens, and each needs some thirty
// products. So a batch is filled up with copies of its own tokens, whose results are ignored. The number of
// its sentences recurs, too: an update that is a graph (train/update_graphs.h) has all shapes of another one.
#pragma once

#include "transformer/data/batching.h"

namespace transformer::data {

/// The smallest recurring number that is at least `tokens`. Recurring are multiples of 8 below 128, and from
/// there sixteen numbers between a power of two and the next.
std::int64_t recurring(std::int64_t tokens);

/// The same for numbers of examples: four between powers of two. A further example costs a token or more.
std::int64_t recurring_examples(std::int64_t examples);

/// Appends examples until their number recurs, and each side of the batch has such a number of tokens. They
/// are not longer than the batch's own, and have tokens on each side that the batch has. target_output stays
/// as it is, because nobody asks anything of them; so do size and indices. The batch is not empty.
void fill_up(Batch& batch);

}  // namespace transformer::data

// Whether a variant from outside keeps what variants.h asks of it.
#pragma once

#include <string>
#include <vector>

#include "transformer/variants/options.h"

namespace transformer::nn {

struct VariantCheck {
  std::string what;  ///< "attention, decoder: gradients"
  bool passed = false;
  std::string found;  ///< the largest difference, or what went wrong
};

/// Tests a variant of that kind in each place that it can have. It runs in fp64 on the CPU, at small sizes
/// (d_model 12, d_ff 20, 3 heads, d_k 4, d_v 6), with parameters moved at random:
/// * The result has the right shape, is finite, and is the same a second time.
/// * The gradients of inputs and parameters equal central differences along random directions.
/// * Each part alone gives the same as in the whole. Parts are a decoder's next position, a sentence without
///   the padding of others, a query over the source, a row of a feed-forward layer or norm, and a position.
/// * Keys and values that the mask forbids do not change attention, and it stays finite if all are forbidden.
///
/// Throws InputError, naming the key, for a variant that is not known or cannot be made.
std::vector<VariantCheck> check_variant(const variants::Choice& choice, variants::Kind kind);

}  // namespace transformer::nn

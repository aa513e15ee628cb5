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

/// What is tried of a variant of that kind, in each place where it can stand, in fp64 on the CPU, at small
/// sizes (d_model 12, d_ff 20, 3 heads, d_k 4, d_v 6) and with its parameters moved at random:
/// * its result has the shape that is asked for, is finite, and is the same a second time;
/// * its gradients, of inputs and parameters, are those of central differences along random directions;
/// * each part alone gives what the whole gives: a decoder's next position, a sentence without the padding of
///   others, a query over the source, a row of a feed-forward layer or norm, a position;
/// * attention is moved by no key or value that the mask forbids, and stays finite where it forbids all.
/// Throws InputError, naming the key, for a variant that is not known or cannot be made.
std::vector<VariantCheck> check_variant(const variants::Choice& choice, variants::Kind kind);

}  // namespace transformer::nn

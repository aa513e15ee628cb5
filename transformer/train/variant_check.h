// Whether a part of a training from outside keeps what variants.h and optimizer.h ask of it.
#pragma once

#include <vector>

#include "transformer/nn/variant_check.h"

namespace transformer::train {

/// Tests of an optimiser, in fp64 on the CPU with small parameters, with a weight decay and with groups:
/// * A step moves each parameter, to finite numbers, and to the same ones a second time.
/// * A divisor divides the gradients. Useless gradients, such as NaN, change nothing.
/// * It goes on from what it keeps as if it had not been stopped.
/// * Each parameter alone makes the same step as beside others, since processes may divide them.
/// * Nothing moves if the rate of a group is 0.
///
/// Test of a schedule: its rates over a training of 1000 updates are finite, not negative, and the same a
/// second time.
///
/// Test of a term of the loss: it is a finite scalar, the sum over its places, and has the gradients of
/// finite differences.
///
/// Throws InputError, naming the key, for a variant that is not known or cannot be made.
std::vector<nn::VariantCheck> check_variant(const variants::Choice& choice, variants::Kind kind);

}  // namespace transformer::train

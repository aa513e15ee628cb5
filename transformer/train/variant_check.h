// Whether a part of a training from outside keeps what variants.h and optimizer.h ask of it.
#pragma once

#include <vector>

#include "transformer/nn/variant_check.h"

namespace transformer::train {

/// What is tried of an optimiser, in fp64 on the CPU with small parameters, with a weight decay and with
/// groups:
/// * a step moves each parameter, to finite numbers, and the same ones a second time;
/// * a divisor divides the gradients, and useless ones, such as NaN, change nothing;
/// * it goes on from what it keeps as if it had not been stopped;
/// * each parameter alone makes the step that it makes beside others, as several processes divide them;
/// * where the rate of a group is 0 nothing moves.
/// Of a schedule: its rates over a training of 1000 updates are finite, not negative and the same a second
/// time. Of a term of the loss: it is a finite scalar, the sum of its places, and has the gradients of finite
/// differences. Throws InputError, naming the key, for a variant that is not known or cannot be made.
std::vector<nn::VariantCheck> check_variant(const variants::Choice& choice, variants::Kind kind);

}  // namespace transformer::train

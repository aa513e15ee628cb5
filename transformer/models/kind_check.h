// Whether a kind of model keeps what model.h asks of it.
#pragma once

#include <vector>

#include "transformer/nn/variant_check.h"

namespace transformer::models {

/// Tests a kind that maps a source to a target. It runs in fp64 on the CPU, with d_model 12, small
/// vocabularies, defaults for other keys, and parameters moved at random:
/// * The states of packed pairs equal those of padded ones, and those of a pair alone equal those beside
///   others.
/// * Steps give the same as the whole target, also when hypotheses change places and sentences leave.
/// * Logits are the states times the projection.
/// * Each parameter has a gradient.
///
/// Throws InputError, naming model.kind, for a kind that is not known or cannot be made.
std::vector<nn::VariantCheck> check_kind(const variants::Choice& kind);

}  // namespace transformer::models

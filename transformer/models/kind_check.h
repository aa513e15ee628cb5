// Whether a kind of model keeps what model.h asks of it.
#pragma once

#include <vector>

#include "transformer/nn/variant_check.h"

namespace transformer::models {

/// What is tried of a kind that maps a source to a target, in fp64 on the CPU, with d_model 12, small
/// vocabularies, the defaults of other keys, and its parameters moved at random:
/// * states of packed pairs are those of padded ones, and of a pair alone those beside others;
/// * steps give what the whole target gives, also for hypotheses that change places and sentences that leave;
/// * logits are the states times the projection;
/// * each parameter has a gradient.
/// Throws InputError, naming model.kind, for one that is not known or cannot be made.
std::vector<nn::VariantCheck> check_kind(const variants::Choice& kind);

}  // namespace transformer::models

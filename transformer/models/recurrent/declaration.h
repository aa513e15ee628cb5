// The kind before a model is made: its options, the keys that it reads, its costs.
#pragma once

#include "transformer/models/options.h"
#include "transformer/models/recurrent/options.h"
#include "transformer/models/size.h"
#include "transformer/variants/registry.h"

namespace transformer::models::recurrent {

variants::Declaration declaration();

RecurrentOptions options_of(const variants::Values& values);

/// Throws InputError, naming the key, for options that contradict each other.
void check(const ModelOptions& options, const RecurrentOptions& own);

/// Matrix products, as size.h counts them.
FlopCount flops(const ModelOptions& options, const VocabularySizes& vocabulary, const TokenCounts& counts);

/// What LibTorch's layers keep, as kind_costs.h has it: of each layer its input, twice its gates, and three
/// states.
double kept(const ModelOptions& options, double length);

}  // namespace transformer::models::recurrent

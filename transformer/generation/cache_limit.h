// The memory of a text's keys and values, reckoned before texts are written.
#pragma once

#include "transformer/generation/options.h"
#include "transformer/models/options.h"

namespace transformer::generation {

/// Bytes of the keys and values of all layers for so many tokens, in fp32.
double cache_bytes(const models::ModelOptions& model, std::int64_t tokens);

/// The options with a batch whose keys and values fit into `free` bytes, or as they are where that is
/// unknown, 0. Texts do not depend on the batch. A text has at most `prompt` tokens and those to come, but no
/// more than the window; `at_once` texts are written for each one of the batch, by all workers and
/// hypotheses. Throws InputError if a single one does not fit.
GenerationOptions within_memory(GenerationOptions options, const models::ModelOptions& model,
                                std::int64_t prompt, std::int64_t at_once, double free);

}  // namespace transformer::generation

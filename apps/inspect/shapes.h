// transformer-inspect's views of a model's tensors, and of a text as the model reads it.
#pragma once

#include <string>
#include <vector>

#include "apps/inspect/costs.h"
#include "transformer/checkpoints/tokenizers.h"

namespace transformer::apps {

/// Prints the shapes of all tensors on the way of one pair of sentences, of lengths[0] source tokens and
/// lengths[1] target tokens. Throws InputError where learned positions are too few.
void print_shapes(const Subject& subject, const std::vector<std::int64_t>& lengths, bool as_json);

/// Prints each text's pieces and their ids, as a source and, where targets have a vocabulary of their own, as
/// a target.
void print_tokens(const checkpoints::Tokenizers& tokenizers, const std::vector<std::string>& texts,
                  bool as_json);

}  // namespace transformer::apps

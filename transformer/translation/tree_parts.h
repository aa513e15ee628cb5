// The part that each token of a parser's vocabulary has in a linearised tree.
#pragma once

#include <vector>

#include "transformer/data/tokenizer.h"
#include "transformer/search/tree_outputs.h"

namespace transformer::translation {

/// Of each id. A label counts if it has a beginning and an end. Throws InputError for a vocabulary that is
/// not of whole words, or has no such label or no tag.
std::vector<search::TreePart> tree_parts(const data::Tokenizer& target);

}  // namespace transformer::translation

// The baseline: translation by looking up the nearest training sentence.
#pragma once

#include <string>
#include <vector>

namespace transformer::demo {

/// For each query the index of the sentence of `memory` nearest to it: the highest F-score of the words and
/// word pairs that the two have in common, counted with multiplicity; of equals the first. `memory` is not
/// empty.
std::vector<std::size_t> nearest_sentences(const std::vector<std::string>& memory,
                                           const std::vector<std::string>& queries);

}  // namespace transformer::demo

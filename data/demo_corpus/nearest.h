// The baseline: translation by looking up the nearest training sentence.
#pragma once

#include <string>
#include <vector>

namespace transformer::demo {

/// For each query: the index of the nearest sentence of `memory`, by the F-score of shared words and word
/// pairs. Repeated words count each time. The first one wins a tie. `memory` must not be empty.
std::vector<std::size_t> nearest_sentences(const std::vector<std::string>& memory,
                                           const std::vector<std::string>& queries);

}  // namespace transformer::demo

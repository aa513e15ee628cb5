// The sentences that a metric compares.
#pragma once

#include <string>
#include <vector>

namespace transformer::eval {

/// One string for each sentence.
using Sentences = std::vector<std::string>;

/// One translation and its references: references[r][i] is the r-th reference of hypotheses[i].
struct Corpus {
  Sentences hypotheses;
  std::vector<Sentences> references;

  /// The references of sentence i, in order.
  Sentences references_of(std::size_t i) const {
    Sentences result;
    for (const auto& reference : references) result.push_back(reference[i]);
    return result;
  }
};

/// Throws InputError unless there is a sentence, a reference, and as many lines in each reference as
/// hypotheses.
void check_corpus(const Corpus& corpus);

}  // namespace transformer::eval

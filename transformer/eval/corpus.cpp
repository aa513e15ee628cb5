#include "transformer/eval/corpus.h"

#include <fmt/format.h>

#include "transformer/base/error.h"

namespace transformer::eval {

void check_corpus(const Corpus& corpus) {
  if (corpus.hypotheses.empty()) throw InputError("hypothesis: expected at least one line, found none");
  if (corpus.references.empty()) throw InputError("reference: expected at least one, found none");
  for (std::size_t r = 0; r < corpus.references.size(); ++r) {
    if (corpus.references[r].size() == corpus.hypotheses.size()) continue;
    throw InputError(fmt::format("reference {}: expected {} lines, as in the hypothesis, found {}", r + 1,
                                 corpus.hypotheses.size(), corpus.references[r].size()));
  }
}

}  // namespace transformer::eval

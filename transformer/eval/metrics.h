// Metrics by name, as the command line and the trainer ask for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/corpus.h"
#include "transformer/eval/tokenize.h"

namespace transformer::eval {

struct MetricOptions {
  Tokenization tokenization = Tokenization::v13a;  ///< of BLEU; chrF has its own way
  bool lowercase = false;
};

struct MetricResult {
  std::string name;       ///< "BLEU", "chrF2" or "chrF2++"
  double score = 0;       ///< 0 to 100
  std::string signature;  ///< what the score was measured with
  std::string detail;     ///< BLEU's precisions, brevity penalty and lengths; empty for the others
};

/// "BLEU|nrefs:1|… = 26.33 58.2/32.0/… (BP = …)": a result as one line, in sacreBLEU's layout.
std::string format_result(const MetricResult& result);

/// Scores a corpus with each of `metrics` (bleu, chrf, chrf++), in that order.
/// Throws InputError for an unknown metric, differing line counts, or no lines at all.
std::vector<MetricResult> score_corpus(const Corpus& corpus, const std::vector<std::string>& metrics,
                                       const MetricOptions& options = {});

}  // namespace transformer::eval

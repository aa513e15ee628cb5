// BLEU (Papineni et al., 2002) as sacreBLEU 2.6 computes it; the paper's section 6.1 reports it in Table 2.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/corpus.h"
#include "transformer/eval/metric.h"
#include "transformer/eval/tokenize.h"

namespace transformer::eval {

inline constexpr int bleu_order = 4;  ///< n-grams of 1 to 4 words

/// What BLEU counts of a sentence.
struct BleuCounts {
  std::int64_t hypothesis_length = 0;  ///< words
  std::int64_t reference_length = 0;   ///< words of the closest reference, the shorter one in a tie
  std::array<std::int64_t, bleu_order> matches{};  ///< n-grams found in a reference, clipped; [n-1]
  std::array<std::int64_t, bleu_order> totals{};   ///< n-grams of the hypothesis; [n-1]

  bool operator==(const BleuCounts&) const = default;
};

struct BleuScore {
  double score = 0;                             ///< 0 to 100
  std::array<double, bleu_order> precisions{};  ///< 0 to 100, after smoothing
  double brevity_penalty = 0;
  BleuCounts counts;
};

/// The counts of one sentence against one or more references.
BleuCounts bleu_counts(std::string_view hypothesis, const Sentences& references,
                       const MetricOptions& options = {});

/// BLEU = brevity penalty · exp(mean of log precisions).
///
/// brevity penalty = min(1, exp(1 - reference length / hypothesis length)).
///
/// The options say what becomes of a precision without a match. The score is 0 if nothing matches. It is 0,
/// too, if the hypothesis has no 4-gram, unless the effective order counts: then the mean is over the orders
/// that it has.
BleuScore bleu_score(const BleuCounts& counts, const BleuOptions& options = {});

/// BLEU of a corpus with all that it is made of. Throws InputError as count_sentences does.
BleuScore corpus_bleu(const Corpus& corpus, const MetricOptions& options = {});

/// BLEU as one of the metrics.
Metric bleu_metric(const MetricOptions& options);

}  // namespace transformer::eval

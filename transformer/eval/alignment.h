// Alignments of words against gold ones: the alignment error rate of Och and Ney (2003).
#pragma once

#include <cstdint>
#include <vector>

#include "transformer/base/word_links.h"
#include "transformer/eval/metrics.h"

namespace transformer::eval {

/// The counts behind the rates. A corpus has the sums over its sentences.
struct LinkCounts {
  std::int64_t links = 0;           ///< |A|, of the alignment that is judged
  std::int64_t sure = 0;            ///< |S|
  std::int64_t sure_found = 0;      ///< |A ∩ S|
  std::int64_t possible_found = 0;  ///< |A ∩ P|, P with S in it
};

/// The counts of one sentence.
LinkCounts count_links(const Links& links, const GoldLinks& gold);

/// 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), from 0 to 100: 0 is perfect. 0 where there are no links at all.
double alignment_error_rate(const LinkCounts& counts);
/// |A ∩ P| / |A|, from 0 to 100; 0 without links.
double alignment_precision(const LinkCounts& counts);
/// |A ∩ S| / |S|, from 0 to 100; 0 without sure links.
double alignment_recall(const LinkCounts& counts);

/// AER, precision and recall of a corpus, with 95 % intervals if asked for: sentences are resampled as for
/// BLEU (significance.h). Throws InputError unless there is a sentence, both have as many, and a link is
/// sure.
std::vector<MetricResult> score_alignments(const std::vector<Links>& alignments,
                                           const std::vector<GoldLinks>& gold, bool confidence = false,
                                           const ResamplingOptions& resampling = {});

}  // namespace transformer::eval

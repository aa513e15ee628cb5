// Alignments of words against gold ones: the alignment error rate of Och and Ney (2003), in Pharaoh's format.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transformer/eval/metrics.h"

namespace transformer::eval {

/// A word of the source that a word of the target translates, both counted from 0.
struct Link {
  std::int64_t source = 0, target = 0;
  auto operator<=>(const Link&) const = default;  // NOLINT(modernize-use-nullptr): of the generated code
};

/// The links of a sentence pair, rising, each once.
using Links = std::vector<Link>;

/// What a person, or a grammar, says of a sentence pair. A link that is no more than possible is neither
/// asked for nor counted as wrong.
struct GoldLinks {
  Links sure;
  Links possible;  ///< the sure ones, too
};

/// A line a sentence pair: "0-0 1-2 2-1", in any order; a line may be empty. Throws InputError "name:line: …"
/// for anything else.
std::vector<Links> parse_links(const std::vector<std::string>& lines, const std::string& name);

/// The same with links that are no more than possible: "0-0 1?2", or "1p2". One that is also sure is sure.
std::vector<GoldLinks> parse_gold_links(const std::vector<std::string>& lines, const std::string& name);

/// Pairs of a source and a target word, in any order, as links.
Links links_of(const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

/// "0-0 1-2 2-1"
std::string format_links(const Links& links);

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

// Scores of a corpus with metrics by name, as the command line asks for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/by_length.h"
#include "transformer/eval/corpus.h"
#include "transformer/eval/metric.h"
#include "transformer/eval/significance.h"

namespace transformer::eval {

struct ScoringOptions {
  MetricOptions metric{};
  bool confidence = false;              ///< also the 95 % intervals of the scores
  ResamplingOptions resampling{};       ///< for these, and for the comparison with a baseline
  std::optional<Lengths> lengths = {};  ///< also the scores of groups of sentences, with intervals
};

/// Another translation of the same sentences, and what the score's distance from its own is worth.
struct BaselineResult {
  double score = 0;  ///< 0 to 100
  Comparison bootstrap;
  Comparison randomization;
};

struct MetricResult {
  std::string name;       ///< "BLEU", "chrF2", …
  double score = 0;       ///< 0 to 100
  std::string signature;  ///< what the score was measured with
  std::string detail;     ///< BLEU's precisions, brevity penalty and lengths; may be empty
  std::optional<Interval> interval = {};
  std::optional<BaselineResult> baseline = {};
  std::vector<LengthScore> by_length = {};
};

/// "BLEU|nrefs:1|… = 26.33 (μ = 26.31 ± 0.65) 58.2/32.0/… (BP = …)": a result as one line, in sacreBLEU's
/// layout. Without an interval what stands in the first parentheses is missing.
std::string format_result(const MetricResult& result);

/// "μ = 26.31 ± 0.65"
std::string format_interval(const Interval& interval);

/// "BLEU baseline = 25.91 difference = +0.42 p = 0.0619 (paired bootstrap, two-sided) p = 0.0310 (one-sided,
/// as sacreBLEU's) p = 0.0588 (approximate randomization)": of a result with a baseline, as one line.
std::string format_comparison(const MetricResult& result);

/// "BLEU of sources of 11 to 20 words = 31.20 (μ = 31.18 ± 1.95), 412 sentences": a line for each group.
std::vector<std::string> format_by_length(const MetricResult& result);

/// Scores a corpus with each of `metrics` (metric_table.h), in that order, and compares it with another
/// translation of the same sentences, `baseline`, unless that is empty.
/// Throws InputError for an unknown metric or one that is asked for twice, differing line counts, or no lines
/// at all.
std::vector<MetricResult> score_corpus(const Corpus& corpus, const std::vector<std::string>& metrics,
                                       const ScoringOptions& options = {}, const Sentences& baseline = {});

}  // namespace transformer::eval

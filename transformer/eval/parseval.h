// PARSEVAL (Black et al. 1991): how many brackets of a sentence's tree are right, as EVALB counts them under
// its parameters for Collins. Section 6.3 of the paper reports its F1 in Table 4.
#pragma once

#include <cstdint>
#include <string_view>

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// Sums over sentences. A sentence whose tree cannot be read, or has other words than the reference's, counts
/// as an error and nowhere else.
struct ParsevalSums {
  std::int64_t sentences = 0;  ///< without errors
  std::int64_t gold = 0;       ///< constituents of the reference
  std::int64_t found = 0;
  std::int64_t matched = 0;    ///< label, begin and end are equal; each of the reference serves once
  std::int64_t crossing = 0;   ///< found ones that cross one of the reference
  std::int64_t complete = 0;   ///< sentences with all constituents right
  std::int64_t uncrossed = 0;  ///< sentences without a crossing one
  std::int64_t words = 0;      ///< with a tag that counts
  std::int64_t tags = 0;       ///< words with the reference's tag

  bool operator==(const ParsevalSums&) const = default;
};

struct ParsevalCounts {
  ParsevalSums all;
  ParsevalSums up_to_40;  ///< sentences of up to 40 words, punctuation among them
  std::int64_t errors = 0;

  bool operator==(const ParsevalCounts&) const = default;
};

/// The counts of a sentence, both trees in brackets (trees/bracketed_tree.h). What does not count:
/// * Function tags and indices of labels. ADVP and PRT are one label.
/// * Brackets labelled TOP, S1 or not at all, and those without words that count.
/// * Words tagged , : `` '' . or -NONE-, and their tags.
/// * The tags of a hypothesis whose words are all tagged XX (trees::kAnyTag). The reference's tell
/// punctuation.
///
/// Throws InputError for a reference that is no tree.
/// ignore_case: of words.
ParsevalCounts parseval_counts(std::string_view hypothesis, std::string_view reference,
                               bool ignore_case = false);

/// 0 to 100: labelled F1 of the sums, 2 · matched / (gold + found).
double parseval_f1(const ParsevalSums& sums);

/// As a metric, F1 of all sentences; of the options it heeds the case. Throws InputError where a hypothesis
/// has several references.
Metric parseval_metric(const MetricOptions& options);

}  // namespace transformer::eval

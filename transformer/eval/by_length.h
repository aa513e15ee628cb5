// Scores of short and long sentences apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transformer/eval/significance.h"

namespace transformer::eval {

/// How sentences are put into groups.
struct Lengths {
  std::vector<std::int64_t> words;  ///< of each sentence's source
  std::vector<std::int64_t> ends;   ///< the longest of each group but the last, rising: 10, 20 make groups of
                                    ///< up to 10 words, of 11 to 20, and of more
};

/// Whether each is more than the one before.
bool is_rising(const std::vector<std::int64_t>& ends);

/// What a group of sentences scores as a corpus of its own.
struct LengthScore {
  std::int64_t least = 0;
  std::optional<std::int64_t> most = {};  ///< absent for the last group
  std::int64_t sentences = 0;
  double score = 0;  ///< 0 to 100; of a group with sentences
  Interval interval = {};
};

/// "up to 10", "11 to 20", "over 20": the words of a group.
std::string words_of(const LengthScore& group);

/// The words between white space of each line.
std::vector<std::int64_t> word_counts(const std::vector<std::string>& lines);

/// All groups, empty ones, too. counts: of each sentence, as many as lengths.words; ends: at least one,
/// rising from 1 on. Throws InputError otherwise.
std::vector<LengthScore> scores_by_length(const Metric& metric, const std::vector<Counts>& counts,
                                          const Lengths& lengths, const ResamplingOptions& options = {});

}  // namespace transformer::eval

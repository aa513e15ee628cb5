// Answers that are parts of a text, compared as the script of SQuAD 2 does (Rajpurkar et al. 2018): in small
// letters, without punctuation, without "a", "an" and "the".
#pragma once

#include <string_view>

#include "transformer/eval/metric.h"

namespace transformer::eval {

/// Separates several right answers. The best one counts.
inline constexpr std::string_view kAnswerMark = "</s>";

bool is_exact_answer(std::string_view found, std::string_view expected);

/// F1 of the words, each counted as often as both answers have it; 1 where no word is left of either. 0 … 1
double answer_overlap(std::string_view found, std::string_view expected);

// Their means over all texts, in per cent.
Metric exact_match_metric(const MetricOptions& options);
Metric answer_f1_metric(const MetricOptions& options);

}  // namespace transformer::eval

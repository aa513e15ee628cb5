// chrF (Popović, 2015) and chrF++ (Popović, 2017) as sacreBLEU 2.6 computes them by default.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/eval/corpus.h"
#include "transformer/eval/metric.h"

namespace transformer::eval {

inline constexpr int chrf_character_order = 6;
inline constexpr int chrf_max_word_order = 2;

/// What chrF counts of a sentence.
struct ChrfCounts {
  struct Order {
    std::int64_t hypothesis = 0;  ///< n-grams of the hypothesis; 0 where the reference has none
    std::int64_t reference = 0;
    std::int64_t matches = 0;
    bool operator==(const Order&) const = default;
  };
  /// Characters' orders 1 … 6, then words' orders 1 … 2 (zero in plain chrF).
  std::array<Order, chrf_character_order + chrf_max_word_order> orders{};

  bool operator==(const ChrfCounts&) const = default;
};

/// The counts of one sentence against that one of its references that gives the best score, the first in a
/// tie.
ChrfCounts chrf_counts(std::string_view hypothesis, const Sentences& references,
                       const ChrfOptions& options = {}, bool lowercase = false);

/// 100 · (1 + beta²) P R / (beta² P + R), where P and R are the precisions and recalls, averaged over the
/// orders for which both sides have n-grams. With eps_smoothing it is the mean of that over all orders, where
/// P or R without n-grams is 1e-16.
double chrf_score(const ChrfCounts& counts, const ChrfOptions& options = {});

// As metrics, by options.chrf and the case.
Metric chrf_metric(const MetricOptions& options);
Metric chrf_plus_plus_metric(const MetricOptions& options);

}  // namespace transformer::eval

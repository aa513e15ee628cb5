#include "transformer/report/p_values.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "transformer/report/agreement.h"
#include "transformer/report/student.h"

namespace transformer::report {
namespace {

/// Of a difference that lies `distance` from what it is compared with.
PValues p_values_of(const std::optional<SeedNoise>& noise, const Row& row, const Row& against,
                    const eval::Comparison& comparison, double distance) {
  const auto here = score_of(row), there = score_of(against);
  PValues found{.sentences = comparison.p_value, .seeds = seed_p_value(noise, here, there)};
  found.together = found.sentences;
  if (found.seeds)
    found.together = p_value_of_both(distance, half_width_of_sentences(comparison),
                                     error_of_difference(*noise, here, there));
  return found;
}

/// From 0, or, of rows that are said to be equal, from the nearer bound of what is granted.
double distance_of(const Claim& claim, double difference) {
  const double size = std::abs(difference);
  return claim.expected == Direction::equal ? std::abs(claim.within - size) : size;
}

bool is_below(const std::optional<double>& p_value) {
  return p_value && *p_value < significance_level;
}

}  // namespace

double p_value_of_both(double distance, double sentences_half_width, const SeedError& seeds) {
  constexpr double kFarthest = 6;
  if (std::isnan(distance + sentences_half_width + seeds.error))
    return distance + sentences_half_width + seeds.error;
  if (distance <= 0) return 1;
  const auto p_value = [](double deviations) { return std::erfc(deviations / std::numbers::sqrt2); };
  const auto half_width = [&](double deviations) {
    return std::hypot(deviations / normal_95 * sentences_half_width,
                      student_quantile(p_value(deviations), seeds.degrees) * seeds.error);
  };
  if (half_width(kFarthest) < distance) return p_value(kFarthest);
  double low = 0, high = kFarthest;
  for (;;) {  // until no number lies between them
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) return p_value(middle);
    (half_width(middle) < distance ? low : high) = middle;
  }
}

void correct_by_holm(std::vector<PValues>& all) {
  std::vector<PValues*> order;
  for (auto& one : all)
    if (one.together && !std::isnan(*one.together)) order.push_back(&one);
  if (order.size() < 2) return;
  std::ranges::sort(order, {}, [](const PValues* one) { return *one->together; });
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, static_cast<double>(order.size() - i) * *order[i]->together);
    order[i]->holm = std::min(1.0, largest);
  }
}

std::vector<PValues> score_p_values(const Report& report) {
  const Row* baseline = baseline_of(report);
  const auto noise = score_noise(report);
  std::vector<PValues> all;
  for (const auto& row : report.rows) {
    const auto& comparison = row.against_baseline;
    all.push_back(baseline && &row != baseline && comparison
                      ? p_values_of(noise, row, *baseline, *comparison, std::abs(comparison->difference))
                      : PValues());
  }
  correct_by_holm(all);
  return all;
}

std::vector<PValues> perplexity_p_values(const Report& report) {
  std::vector<PValues> all;
  for (const auto& row : report.rows) {
    const auto seeds = perplexity_seed_p_value(report, row);
    all.push_back({.seeds = seeds, .together = seeds});
  }
  correct_by_holm(all);
  return all;
}

std::vector<PValues> claim_p_values(const Report& report) {
  const auto noise = score_noise(report);
  std::vector<PValues> all;
  for (const auto& claim : report.claims) {
    const Row *row = find_row(report, claim.row), *against = find_row(report, claim.against);
    all.push_back(row && against && claim.comparison
                      ? p_values_of(noise, *row, *against, *claim.comparison,
                                    distance_of(claim, claim.comparison->difference))
                      : PValues());
    // The bootstrap's is of a difference from 0.
    if (!all.back().seeds && claim.expected == Direction::equal) all.back().together = {};
  }
  correct_by_holm(all);
  return all;
}

const PValues& of_row(const std::vector<PValues>& all, const Report& report, const Row& row) {
  return all[static_cast<std::size_t>(&row - report.rows.data())];
}

Counts count_significant(std::span<const PValues> all) {
  Counts counts;
  for (const auto& one : all) {
    if (one.holm) ++counts.compared;
    if (is_below(one.together)) ++counts.significant;
    if (is_below(one.holm)) ++counts.remaining;
  }
  return counts;
}

}  // namespace transformer::report

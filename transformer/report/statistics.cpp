#include "transformer/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace transformer::report {
namespace {

template <typename Figure>
Summary over_finished(const Row& row, Figure figure) {
  std::vector<double> values;
  for (const auto& run : row.runs) {
    if (!is_finished(run)) continue;
    if (const std::optional<double> value = figure(run)) values.push_back(*value);
  }
  return summarize(values);
}

/// A time or a cost of 0 is one that nobody measured.
std::optional<double> if_measured(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

/// The paper's figures have two decimals at most, so that smaller differences are rounding errors.
std::optional<Direction> direction(std::optional<double> value, std::optional<double> base,
                                   bool higher_is_better) {
  if (!value || !base || !std::isfinite(*value) || !std::isfinite(*base)) return std::nullopt;
  const double gain = higher_is_better ? *value - *base : *base - *value;
  if (std::abs(gain) < 1e-6) return Direction::equal;
  return gain > 0 ? Direction::better : Direction::worse;
}

Verdict compare(Direction paper, bool better_here) {
  return (paper == Direction::better) == better_here ? Verdict::agrees : Verdict::opposite;
}

}  // namespace

Summary summarize(std::span<const double> values) {
  Summary result;
  result.count = values.size();
  if (values.empty()) return result;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  result.mean = sum / count;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

Summary perplexity_of(const Row& row) {
  return over_finished(row, [](const Run& run) { return run.perplexity; });
}

Summary bleu_of(const Row& row) {
  return over_finished(row, [](const Run& run) { return run.bleu; });
}

Summary test_bleu_of(const Row& row, std::size_t measure) {
  return over_finished(row, [&](const Run& run) {
    return measure < run.test_bleu.size() ? run.test_bleu[measure] : std::nullopt;
  });
}

Summary seconds_of(const Row& row) {
  return over_finished(row, [](const Run& run) { return if_measured(run.seconds); });
}

Summary flops_of(const Row& row) {
  return over_finished(row, [](const Run& run) { return if_measured(run.flops); });
}

bool is_finished(const Run& run) {
  return run.state == finished;
}

const Row* baseline_of(const Report& report) {
  if (report.baseline.empty()) return nullptr;
  const auto found = std::find_if(report.rows.begin(), report.rows.end(),
                                  [&](const Row& row) { return row.name == report.baseline; });
  return found == report.rows.end() ? nullptr : &*found;
}

std::optional<Direction> paper_bleu_direction(const Row& row, const Row& baseline) {
  return direction(row.paper.bleu, baseline.paper.bleu, true);
}

std::optional<Direction> paper_perplexity_direction(const Row& row, const Row& baseline) {
  return direction(row.paper.perplexity, baseline.paper.perplexity, false);
}

std::optional<Verdict> bleu_verdict(const Row& row, const Row& baseline) {
  const auto paper = paper_bleu_direction(row, baseline);
  if (&row == &baseline || !paper || *paper == Direction::equal || !row.against_baseline) return std::nullopt;
  const auto& here = *row.against_baseline;
  // Written so that NaN decides nothing.
  if (!(here.p_value < significance_level) || !(std::abs(here.difference) > 0)) return Verdict::undecided;
  return compare(*paper, here.difference > 0);
}

std::optional<Verdict> perplexity_verdict(const Row& row, const Row& baseline) {
  const auto paper = paper_perplexity_direction(row, baseline);
  const auto difference = perplexity_difference(row, baseline);
  if (!paper || *paper == Direction::equal || !difference) return std::nullopt;
  if (!std::isfinite(*difference) || std::abs(*difference) <= perplexity_of(baseline).deviation.value_or(0))
    return Verdict::undecided;
  return compare(*paper, *difference < 0);
}

std::optional<double> perplexity_difference(const Row& row, const Row& baseline) {
  const auto here = perplexity_of(row);
  const auto base = perplexity_of(baseline);
  if (&row == &baseline || here.count == 0 || base.count == 0) return std::nullopt;
  return here.mean - base.mean;
}

}  // namespace transformer::report

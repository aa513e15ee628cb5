#include "transformer/report/agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "transformer/eval/numpy_random.h"
#include "transformer/report/doubts.h"
#include "transformer/report/p_values.h"
#include "transformer/report/statistics.h"

namespace transformer::report {
namespace {

/// The paper's figures have two decimals at most, so that smaller differences are rounding errors.
std::optional<Direction> direction(std::optional<double> value, std::optional<double> base,
                                   bool higher_is_better) {
  if (!value || !base || !std::isfinite(*value) || !std::isfinite(*base)) return std::nullopt;
  const double gain = higher_is_better ? *value - *base : *base - *value;
  if (std::abs(gain) < 1e-6) return Direction::equal;
  return gain > 0 ? Direction::better : Direction::worse;
}

/// Whether its score is of the baseline's dev set.
bool is_compared(const Row& row) {
  return row.against_baseline.has_value();
}

/// gain: positive is better.
bool same_sign(Direction paper, double gain) {
  return paper == Direction::better ? gain > 0 : gain < 0;
}

Verdict judge(Direction paper, double gain, bool significant) {
  // Written so that NaN decides nothing.
  if (!significant || !(std::abs(gain) > 0) || !std::isfinite(gain)) return Verdict::undecided;
  return same_sign(paper, gain) ? Verdict::agrees : Verdict::opposite;
}

Agreement::Bounds interval_of_correlation(const std::vector<double>& here, const std::vector<double>& paper) {
  constexpr int kSamples = 10000;
  eval::NumpyRandom random(12345);  // as the resampling of sentences has it
  std::vector<double> correlations, left(here.size()), right(here.size());
  for (int sample = 0; sample < kSamples; ++sample) {
    for (std::size_t i = 0; i < here.size(); ++i) {
      const auto row = random.below(here.size());
      left[i] = here[row];
      right[i] = paper[row];
    }
    if (const auto correlation = spearman(left, right)) correlations.push_back(*correlation);
  }
  std::ranges::sort(correlations);
  const auto at = [&](double part) {
    return correlations[static_cast<std::size_t>(part * static_cast<double>(correlations.size() - 1))];
  };
  return {at(0.025), at(0.975)};
}

/// One of the table's columns.
struct Figure {
  Summary (*here)(const Row&);
  bool (*comparable)(const Row&);  ///< of a row that is not the baseline
  std::optional<double> PaperFigures::*paper;
  std::optional<Verdict> (*verdict)(const Report&, const Row&);
  std::vector<PValues> (*p_values)(const Report&);
};

Agreement agreement_of(const Report& report, const Figure& figure) {
  const Row* baseline = baseline_of(report);
  const auto p_values = figure.p_values(report);
  Agreement found;
  std::vector<double> here, paper;
  for (const auto& row : report.rows) {
    const auto summary = figure.here(row);
    const auto& in_paper = row.paper.*figure.paper;
    if (&row != baseline && !figure.comparable(row)) continue;
    if (summary.count > 0 && std::isfinite(summary.mean) && in_paper && std::isfinite(*in_paper)) {
      here.push_back(summary.mean);
      paper.push_back(*in_paper);
    }
    const auto verdict = figure.verdict(report, row);
    if (!verdict) continue;
    ++(*verdict == Verdict::agrees     ? found.agree
       : *verdict == Verdict::opposite ? found.opposite
                                       : found.undecided);
    if (of_row(p_values, report, row).holm.value_or(1) < significance_level) {
      if (*verdict == Verdict::agrees) ++found.agree_by_holm;
      if (*verdict == Verdict::opposite) ++found.opposite_by_holm;
    }
    const double product =
        (summary.mean - figure.here(*baseline).mean) * (*in_paper - *(baseline->paper.*figure.paper));
    if (product > 0) ++found.same_sign;
  }
  found.rows = static_cast<int>(here.size());
  found.correlation = spearman(here, paper);
  if (found.correlation && here.size() >= 4) found.interval = interval_of_correlation(here, paper);
  return found;
}

}  // namespace

std::optional<Direction> paper_score_direction(const Score& score, const Row& row, const Row& baseline) {
  return direction(row.paper.score, baseline.paper.score, !score.less_is_better);
}

std::optional<Direction> paper_perplexity_direction(const Row& row, const Row& baseline) {
  return direction(row.paper.perplexity, baseline.paper.perplexity, false);
}

std::optional<double> perplexity_seed_p_value(const Report& report, const Row& row) {
  const Row* baseline = baseline_of(report);
  if (!baseline || !perplexity_difference(row, *baseline)) return std::nullopt;
  return seed_p_value(perplexity_noise(report), log_perplexity_of(row), log_perplexity_of(*baseline));
}

std::optional<Verdict> score_verdict(const Report& report, const Row& row) {
  const Row* baseline = baseline_of(report);
  if (!baseline || &row == baseline || !row.against_baseline) return std::nullopt;
  const auto paper = paper_score_direction(report.score, row, *baseline);
  if (!paper || *paper == Direction::equal) return std::nullopt;
  const auto& here = *row.against_baseline;
  const bool significant = doubts_about_baseline(report).empty() && score_noise(report) &&
                           std::abs(here.difference) > half_width_of_difference(report, row, *baseline, here);
  return judge(*paper, gain_of(report.score, here.difference), significant);
}

std::optional<Verdict> perplexity_verdict(const Report& report, const Row& row) {
  const Row* baseline = baseline_of(report);
  if (!baseline) return std::nullopt;
  const auto paper = paper_perplexity_direction(row, *baseline);
  const auto difference = perplexity_difference(row, *baseline);
  if (!paper || *paper == Direction::equal || !difference) return std::nullopt;
  // Without several seeds nothing says whether a difference is luck: a last digit would decide.
  return judge(*paper, -*difference,
               doubts_about_baseline(report).empty() &&
                   perplexity_seed_p_value(report, row).value_or(1) < significance_level);
}

std::optional<double> perplexity_difference(const Row& row, const Row& baseline) {
  const auto here = perplexity_of(row);
  const auto base = perplexity_of(baseline);
  if (&row == &baseline || !row.same_subwords || here.count == 0 || base.count == 0) return std::nullopt;
  return here.mean - base.mean;
}

Agreement score_agreement(const Report& report) {
  return agreement_of(report, {score_of, is_compared, &PaperFigures::score, score_verdict, score_p_values});
}

Agreement perplexity_agreement(const Report& report) {
  const auto comparable = [](const Row& row) { return row.same_subwords; };
  return agreement_of(report, {perplexity_of, comparable, &PaperFigures::perplexity, perplexity_verdict,
                               perplexity_p_values});
}

}  // namespace transformer::report

#include "transformer/report/doubts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "transformer/report/agreement.h"
#include "transformer/report/format.h"
#include "transformer/report/statistics.h"

namespace transformer::report {
namespace {

double log_at(const std::vector<CurvePoint>& curve, double step) {
  const auto after = std::ranges::find_if(
      curve, [&](const CurvePoint& point) { return static_cast<double>(point.step) >= step; });
  if (after == curve.begin()) return std::log(after->perplexity);
  const auto before = after - 1;
  const auto part =
      (step - static_cast<double>(before->step)) / static_cast<double>(after->step - before->step);
  return std::log(before->perplexity) + part * (std::log(after->perplexity) - std::log(before->perplexity));
}

bool is_trivial(const Score& score, const TrivialOutput& output) {
  const auto& found = output.comparison;
  return !(gain_of(score, found.difference) > 0) || !(found.p_value < significance_level);
}

}  // namespace

double fall_at_end(const std::vector<CurvePoint>& curve) {
  if (curve.size() < 2 || curve.front().step >= curve.back().step) return 0;
  const auto begin = (1 - kEndOfCurve) * static_cast<double>(curve.back().step);
  const double fall = log_at(curve, begin) - std::log(curve.back().perplexity);
  return std::isfinite(fall) ? 1 - std::exp(-fall) : 0;
}

std::string missing_seeds(const Row& row) {
  std::vector<std::string> missing;
  for (const auto& run : row.runs)
    if (!is_finished(run)) missing.push_back(fmt::format("seed {} ({})", run.seed, run.state));
  return fmt::format("{}", fmt::join(missing, ", "));
}

std::vector<std::string> doubts_about_baseline(const Report& report) {
  const Row* base = baseline_of(report);
  if (base == nullptr) return {};
  const auto name = display_name(base->name);
  std::vector<std::string> doubts;
  if (const auto missing = missing_seeds(*base); !missing.empty())
    doubts.push_back(fmt::format("Nothing is decided yet: {} lacks {}.", name, missing));
  for (const auto& output : report.trivial) {
    if (!is_trivial(report.score, output)) continue;
    const auto& found = output.comparison;
    const bool better = gain_of(report.score, found.difference) > 0;
    doubts.push_back(fmt::format("Nothing is decided: {}'s {} of {} is {} that of {}, {}{}.", name,
                                 report.score.title, format_value(score_of(*base).mean, score_decimals),
                                 better ? "not significantly better than" : "no better than", output.name,
                                 format_value(score_of(*base).mean - found.difference, score_decimals),
                                 better ? fmt::format(" ({})", format_p_value(found.p_value)) : ""));
  }
  double fall = 0;
  for (const auto& run : base->runs)
    if (is_finished(run)) fall = std::max(fall, fall_at_end(run.curve));
  if (fall > kSteepFall)
    doubts.push_back(
        fmt::format("Nothing is decided: {}'s perplexity still fell by {:.0f} % in the last quarter of its "
                    "updates, so it is "
                    "not trained to its end.",
                    name, 100 * fall));
  return doubts;
}

}  // namespace transformer::report

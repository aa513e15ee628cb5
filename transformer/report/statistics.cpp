#include "transformer/report/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "transformer/report/equal_variances.h"
#include "transformer/report/student.h"

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

/// A row that learnt nothing, such as one without residual connections: its seeds are alike, or one of them
/// learns, which tells nothing of how far others' are apart.
bool learnt_nothing(const Score& score, const Row& row, const Row* baseline) {
  constexpr double kTimes = 10;
  const auto here = score_of(row);
  if (baseline == nullptr || here.count == 0) return false;
  const double there = score_of(*baseline).mean;
  return score.less_is_better ? here.mean > kTimes * there : here.mean < there / kTimes;
}

/// The deviation above which a row is erratic. summaries: of two values each or more
double bound_of_erratic(const std::vector<Summary>& summaries) {
  constexpr std::size_t kFewest = 3;
  constexpr double kTimes = 5;
  std::vector<double> deviations;
  for (const auto& summary : summaries) deviations.push_back(*summary.deviation);
  std::ranges::sort(deviations);
  const double middle = deviations.size() < kFewest ? 0 : deviations[(deviations.size() - 1) / 2];
  return middle > 0 ? kTimes * middle : std::numeric_limits<double>::infinity();
}

template <typename Figure>
std::optional<SeedNoise> noise_of(const Report& report, Figure figure) {
  const Row* baseline = baseline_of(report);
  std::vector<Summary> summaries;
  for (const auto& row : report.rows) {
    if (learnt_nothing(report.score, row, baseline)) continue;
    const Summary summary = figure(row);
    if (summary.count >= 2 && std::isfinite(*summary.deviation)) summaries.push_back(summary);
  }
  if (summaries.empty()) return std::nullopt;
  SeedNoise noise{.erratic = bound_of_erratic(summaries)};
  std::erase_if(summaries, [&](const Summary& summary) { return *summary.deviation > noise.erratic; });
  noise.equal_variances = bartlett_p_value(summaries);
  double squares = 0;
  for (const auto& summary : summaries) {
    const auto degrees = static_cast<int>(summary.count) - 1;
    noise.degrees += degrees;
    squares += degrees * *summary.deviation * *summary.deviation;
  }
  noise.deviation = std::sqrt(squares / noise.degrees);
  return noise;
}

/// The variance of a mean over seeds, and the degrees of freedom of that variance.
struct MeanVariance {
  double variance;
  double degrees;
};

bool is_erratic(const SeedNoise& noise, const Summary& summary) {
  return summary.deviation && *summary.deviation > noise.erratic;
}

MeanVariance variance_of_mean(const SeedNoise& noise, const Summary& summary) {
  const auto count = static_cast<double>(summary.count);
  if (is_erratic(noise, summary)) return {*summary.deviation * *summary.deviation / count, count - 1};
  return {noise.deviation * noise.deviation / count, static_cast<double>(noise.degrees)};
}

/// 1 for the smallest.
std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (auto i = begin; i < end; ++i) result[order[i]] = static_cast<double>(begin + end + 1) / 2;
  }
  return result;
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

Summary log_perplexity_of(const Row& row) {
  return over_finished(row, [](const Run& run) {
    return run.perplexity ? std::optional(std::log(*run.perplexity)) : std::nullopt;
  });
}

Summary score_of(const Row& row) {
  return over_finished(row, [](const Run& run) { return run.score; });
}

Summary test_score_of(const Row& row, std::size_t measure) {
  return over_finished(row, [&](const Run& run) {
    return measure < run.test_scores.size() ? run.test_scores[measure] : std::nullopt;
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

const Row* find_row(const Report& report, const std::string& name) {
  const auto found = std::ranges::find(report.rows, name, &Row::name);
  return name.empty() || found == report.rows.end() ? nullptr : &*found;
}

const Row* baseline_of(const Report& report) {
  return find_row(report, report.baseline);
}

std::optional<SeedNoise> score_noise(const Report& report) {
  return noise_of(report, score_of);
}

std::optional<SeedNoise> perplexity_noise(const Report& report) {
  return noise_of(report, log_perplexity_of);
}

SeedError error_of_difference(const SeedNoise& noise, const Summary& row, const Summary& baseline) {
  const auto here = variance_of_mean(noise, row), there = variance_of_mean(noise, baseline);
  const double variance = here.variance + there.variance;
  SeedError found{std::sqrt(variance), noise.degrees};
  if (is_erratic(noise, row) || is_erratic(noise, baseline)) {
    const double degrees =
        variance * variance /
        (here.variance * here.variance / here.degrees + there.variance * there.variance / there.degrees);
    found.degrees = std::max(1, static_cast<int>(degrees));
  }
  return found;
}

std::optional<double> seed_p_value(const std::optional<SeedNoise>& noise, const Summary& row,
                                   const Summary& baseline) {
  if (!noise || row.count == 0 || baseline.count == 0) return std::nullopt;
  const auto [error, degrees] = error_of_difference(*noise, row, baseline);
  const double difference = row.mean - baseline.mean;
  if (error == 0) return std::nullopt;
  return student_two_sided(difference / error, degrees);
}

double half_width_of_sentences(const eval::Comparison& comparison) {
  const double both = comparison.half_width, of_runs = comparison.half_width_of_runs;
  return std::isnan(both) ? both : std::sqrt(std::max(0.0, both * both - of_runs * of_runs));
}

double half_width_of_difference(const Report& report, const Row& row, const Row& against,
                                const eval::Comparison& comparison) {
  const auto noise = score_noise(report);
  const auto here = score_of(row), there = score_of(against);
  if (!noise || here.count == 0 || there.count == 0) return comparison.half_width;
  const auto [error, degrees] = error_of_difference(*noise, here, there);
  return std::hypot(half_width_of_sentences(comparison), student_quantile(0.05, degrees) * error);
}

double gain_of(const Score& score, double difference) {
  return score.less_is_better ? -difference : difference;
}

std::optional<double> target_p_value(const Score& score, const Summary& summary, double target) {
  if (!summary.deviation) return std::nullopt;
  const double error = *summary.deviation / std::sqrt(static_cast<double>(summary.count));
  const double above = gain_of(score, summary.mean - target);
  if (error == 0) return std::nullopt;
  const double two_sided = student_two_sided(above / error, static_cast<int>(summary.count) - 1);
  return above > 0 ? two_sided / 2 : 1 - two_sided / 2;
}

std::optional<double> spearman(std::span<const double> left, std::span<const double> right) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(left, finite) || !std::ranges::all_of(right, finite)) return std::nullopt;
  const auto x = ranks(left), y = ranks(right);
  const double mean = (static_cast<double>(x.size()) + 1) / 2;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

}  // namespace transformer::report

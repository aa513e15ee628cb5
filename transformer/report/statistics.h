// What the tables say beyond the plain figures: means over seeds, and how far seeds differ.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "transformer/report/report.h"

namespace transformer::report {

/// Values of several seeds.
struct Summary {
  std::size_t count = 0;
  double mean = 0;                       ///< 0 without values
  std::optional<double> deviation = {};  ///< sample standard deviation, of two values or more
};

Summary summarize(std::span<const double> values);

// Over those finished runs of a row that have the value.
Summary perplexity_of(const Row& row);
Summary log_perplexity_of(const Row& row);
Summary score_of(const Row& row);
Summary seconds_of(const Row& row);
Summary flops_of(const Row& row);

/// measure: index into Report::test_measures.
Summary test_score_of(const Row& row, std::size_t measure);

bool is_finished(const Run& run);

/// The row of that name, which is not empty; null where there is none.
const Row* find_row(const Report& report, const std::string& name);

/// The row that the others are compared with; null where there is none.
const Row* baseline_of(const Report& report);

/// How much trainings of the same row differ between seeds. The standard deviation is pooled over all rows
/// with several seeds. Two kinds of rows are left out:
///
/// - A row that learnt nothing: its score is below a tenth of the baseline's, or above ten times it where
/// less
///   is better.
/// - An erratic row: its deviation is more than five times the median of all rows, for example since one seed
///   failed. Its differences are judged by its own deviation. With fewer than three rows none is erratic.
struct SeedNoise {
  double deviation = 0;                                      ///< standard deviation, pooled
  int degrees = 0;                                           ///< of freedom: pooled runs minus pooled rows
  double erratic = std::numeric_limits<double>::infinity();  ///< rows with a larger deviation are erratic
  /// p-value of Bartlett's test that all pooled rows have the same variance (equal_variances.h).
  std::optional<double> equal_variances = {};
};

/// Which rows are left out, as a sentence of reports.
inline constexpr std::string_view left_out_of_pool =
    "Not pooled are rows that learnt next to nothing, with less than a tenth of the baseline's score (or, "
    "where "
    "less is better, more than ten times it), and rows with more than five times the median deviation, which "
    "are judged by their own (Welch's t).";

// Between seeds, of the score and of the logarithm of perplexity. Absent if no row has two finished runs.
std::optional<SeedNoise> score_noise(const Report& report);
std::optional<SeedNoise> perplexity_noise(const Report& report);

/// The standard error of the difference of two means, and its degrees of freedom. Both rows have a finished
/// run. The deviation is the pooled one; an erratic row has its own, with Satterthwaite's degrees.
struct SeedError {
  double error = 0;
  int degrees = 0;
};
SeedError error_of_difference(const SeedNoise& noise, const Summary& row, const Summary& baseline);

/// The probability that two rows differ at least as much by their seeds alone (Student's t, two-sided).
/// Absent without a deviation, with one of 0, or if a row has no finished run.
std::optional<double> seed_p_value(const std::optional<SeedNoise>& noise, const Summary& row,
                                   const Summary& baseline);

/// A normal distribution has 95 % of its mass within this many standard deviations of the mean.
inline constexpr double normal_95 = 1.959964;

/// Half of the bootstrap's 95 % interval, without the part of its variance that differs from training to
/// training. The variance over seeds contains that part already.
double half_width_of_sentences(const eval::Comparison& comparison);

/// Half of the 95 % interval of a difference of scores. It adds the variance over sentences, which
/// `comparison` has, and the variance over seeds if rows have several. What the two have in common counts
/// once (half_width_of_sentences).
double half_width_of_difference(const Report& report, const Row& row, const Row& against,
                                const eval::Comparison& comparison);

/// How much better a score is that is higher by `difference`: negative if it is worse.
double gain_of(const Score& score, double difference);

/// The probability of a mean at least as good by chance over seeds if the true mean is `target` (Student's t,
/// one-sided). Absent with fewer than two different values.
std::optional<double> target_p_value(const Score& score, const Summary& summary, double target);

/// Spearman's rank correlation of pairs; equal values share the mean of their ranks. Absent where one side
/// has fewer than two different values, or a value that is not finite.
std::optional<double> spearman(std::span<const double> left, std::span<const double> right);

}  // namespace transformer::report

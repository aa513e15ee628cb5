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

// Over the finished runs of a row that have the figure.
Summary perplexity_of(const Row& row);
Summary log_perplexity_of(const Row& row);
Summary score_of(const Row& row);
Summary seconds_of(const Row& row);
Summary flops_of(const Row& row);

/// By Report::test_measures.
Summary test_score_of(const Row& row, std::size_t measure);

bool is_finished(const Run& run);

/// The row of that name, which is not empty; null where there is none.
const Row* find_row(const Report& report, const std::string& name);

/// The row that the others are compared with; null where there is none.
const Row* baseline_of(const Report& report);

/// How far trainings of one row differ, over all rows that have several, but for those that learnt nothing:
/// with less than a tenth of the baseline's score (of one of which less is better, more than ten
/// times it). Where three rows have several, one whose deviation is more
/// than five times the median one, such as a row of which a seed failed, is erratic: it is left out, and its
/// differences are judged by its own deviation.
struct SeedNoise {
  double deviation = 0;                                      ///< standard deviation, pooled
  int degrees = 0;                                           ///< of freedom: finished runs less their rows
  double erratic = std::numeric_limits<double>::infinity();  ///< above it a row is erratic
  /// Of the test that the pooled rows have one variance (equal_variances.h).
  std::optional<double> equal_variances = {};
};

/// The same for the reader.
inline constexpr std::string_view left_out_of_pool =
    "Not pooled are rows that learnt next to nothing, with less than a tenth of the baseline's score (or, "
    "where "
    "less is better, more than ten times it), and rows with more than five times the median deviation, which "
    "are judged by their own (Welch's t).";

// Of the score, and of the logarithm of perplexity. Absent where no row has two finished runs.
std::optional<SeedNoise> score_noise(const Report& report);
std::optional<SeedNoise> perplexity_noise(const Report& report);

/// The standard error of the difference of two means, which have a value each, and its degrees of freedom: by
/// the pooled deviation; of an erratic row by its own, with Satterthwaite's degrees.
struct SeedError {
  double error = 0;
  int degrees = 0;
};
SeedError error_of_difference(const SeedNoise& noise, const Summary& row, const Summary& baseline);

/// How often two rows that are equal but for their seeds differ by as much (Student's t, two-sided). Absent
/// without a deviation, where it is 0, and without a run of one of them.
std::optional<double> seed_p_value(const std::optional<SeedNoise>& noise, const Summary& row,
                                   const Summary& baseline);

/// So many standard deviations to each side hold 95 % of a normal distribution.
inline constexpr double normal_95 = 1.959964;

/// Half of the bootstrap's 95 % interval, less the luck that each training has of its own with these
/// sentences.
double half_width_of_sentences(const eval::Comparison& comparison);

/// Half of the 95 % interval of a difference of scores, by the luck of the sentences, which `comparison` has,
/// and of the seeds together, where rows have several. The luck that each training has of its own with these
/// sentences is in both, and is counted once.
double half_width_of_difference(const Report& report, const Row& row, const Row& against,
                                const eval::Comparison& comparison);

/// How much better a score is that is higher by so much: negative where it is worse.
double gain_of(const Score& score, double difference);

/// How often a mean as good comes by the luck of seeds where the truth is `target` (Student's t, one-sided).
/// Absent with fewer than two different values.
std::optional<double> target_p_value(const Score& score, const Summary& summary, double target);

/// Spearman's rank correlation of pairs; equal values share the mean of their ranks. Absent where one side
/// has fewer than two different values, or a value that is not finite.
std::optional<double> spearman(std::span<const double> left, std::span<const double> right);

}  // namespace transformer::report

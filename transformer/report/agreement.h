// Whether what the paper's Table 3 finds recurs in a report: row by row, and over all rows.
#pragma once

#include <optional>
#include <string_view>

#include "transformer/report/report.h"

namespace transformer::report {

/// What the paper found of a row. Absent where it has no figure of one of the two.
std::optional<Direction> paper_score_direction(const Score& score, const Row& row, const Row& baseline);
std::optional<Direction> paper_perplexity_direction(const Row& row, const Row& baseline);

/// Whether a row's difference from the baseline here goes where the paper's goes.
enum class Verdict { agrees, opposite, undecided };

inline constexpr double significance_level = 0.05;

/// The rule behind the two functions below, in a sentence for the reader.
inline constexpr std::string_view verdict_rule =
    "A row “agrees” if its difference from the baseline has the sign of the paper's difference and is "
    "significant, and is “opposite” if it has the other sign and is significant. Significant is a difference "
    "of "
    "scores whose 95 % interval, by the luck of the dev set's sentences and of the seeds together, as of "
    "a claim, does not hold 0; in perplexity one with p < 0.05 by the luck of the seeds (Student's t of its "
    "logarithm with the standard deviation pooled over the rows that have several seeds). Anything else is "
    "“not decided”, so is all as long as no row has several seeds, and a row that equals the base in the "
    "paper "
    "gets no verdict.";

// Of a row of that report. Absent for the baseline itself, where the paper has no direction, and where there
// is no figure here.
std::optional<Verdict> score_verdict(const Report& report, const Row& row);
std::optional<Verdict> perplexity_verdict(const Report& report, const Row& row);

/// Perplexity of a row minus the baseline's; absent without both, of other subwords, and for the baseline
/// itself.
std::optional<double> perplexity_difference(const Row& row, const Row& baseline);

/// The probability of the difference from the baseline by the luck of seeds alone. Absent where the two are
/// not compared.
std::optional<double> perplexity_seed_p_value(const Report& report, const Row& row);

/// One figure of all rows, here and in the paper.
struct Agreement {
  // Of the rows that have a verdict, whose number is the sum of the three:
  int agree = 0, opposite = 0, undecided = 0;
  int agree_by_holm = 0,
      opposite_by_holm = 0;  ///< those of the first two that are significant by Holm p, too
  int same_sign = 0;         ///< whose difference has the paper's sign, significant or not
  /// With a finite figure here, of the baseline's dev set, and in the paper; the baseline among them.
  int rows = 0;
  /// Spearman's, of the two columns over these rows.
  std::optional<double> correlation = {};
  /// Its 95 % interval: 10 000 resamplings of the rows (those in which it is defined). From 4 rows on.
  struct Bounds {
    double low = 0, high = 0;
  };
  std::optional<Bounds> interval = {};
};

Agreement score_agreement(const Report& report);
Agreement perplexity_agreement(const Report& report);

}  // namespace transformer::report

// How likely chance alone makes differences as large: of sentences, of seeds, of both, and of one among many
// comparisons.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "transformer/report/report.h"
#include "transformer/report/statistics.h"

namespace transformer::report {

/// Two-sided p-values of one difference. A test that cannot be made has none.
struct PValues {
  std::optional<double> sentences = {};  ///< by the bootstrap over the dev set's sentences alone
  std::optional<double> seeds = {};      ///< by Student's t over seeds alone
  /// By both, as the 95 % interval has them: it is below 0.05 where that interval does not hold 0, or the
  /// bound of a claim. Without several seeds that of the sentences. Of perplexity, which has no bootstrap,
  /// that of the seeds.
  std::optional<double> together = {};
  std::optional<double> holm =
      {};  ///< the last one, corrected for the comparisons of its table, if there are several
};

// One for each row of the report, and one for each of its claims.
std::vector<PValues> score_p_values(const Report& report);
std::vector<PValues> perplexity_p_values(const Report& report);
std::vector<PValues> claim_p_values(const Report& report);

/// Those of a row of that report.
const PValues& of_row(const std::vector<PValues>& all, const Report& report, const Row& row);

/// How often a difference lies `distance` or more from its true value where this half width of the 95 %
/// interval by sentences, taken as normal, and this error by seeds add up. At least 2e-9. NaN where a number
/// is.
double p_value_of_both(double distance, double sentences_half_width, const SeedError& seeds);

/// Holm's correction: the probability that any of so many true hypotheses is refused at p is at most the
/// result. Absent values and NaN are not counted.
void correct_by_holm(std::vector<PValues>& all);

/// How many there are, and how many are significant without and with the correction.
struct Counts {
  int compared = 0, significant = 0, remaining = 0;
};
Counts count_significant(std::span<const PValues> all);

}  // namespace transformer::report

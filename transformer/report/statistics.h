// What the tables say beyond the plain figures: means over seeds, and whether the paper's directions recur.
#pragma once

#include <cstddef>
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
Summary bleu_of(const Row& row);
Summary seconds_of(const Row& row);
Summary flops_of(const Row& row);

/// By Report::test_measures.
Summary test_bleu_of(const Row& row, std::size_t measure);

bool is_finished(const Run& run);

/// The row that the others are compared with; null where there is none.
const Row* baseline_of(const Report& report);

/// How a row stands to the baseline.
enum class Direction { worse, equal, better };

/// What the paper found of a row. Absent where it has no figure of one of the two.
std::optional<Direction> paper_bleu_direction(const Row& row, const Row& baseline);
std::optional<Direction> paper_perplexity_direction(const Row& row, const Row& baseline);

/// Whether a row's difference from the baseline here goes where the paper's goes.
enum class Verdict { agrees, opposite, undecided };

inline constexpr double significance_level = 0.05;

/// The rule behind the two functions below, in a sentence for the reader.
inline constexpr std::string_view verdict_rule =
    "A row “agrees” on BLEU if its difference from the baseline has the sign of the paper's difference and p "
    "< 0.05, and is “opposite” if it has the other sign and p < 0.05; on perplexity the sign alone counts, "
    "unless the difference lies within the standard deviation over the baseline's seeds, where there are "
    "several; anything else is “not decided”, and a row that equals the base in the paper gets no verdict.";

// Absent for the baseline itself, where the paper has no direction, and where there is no figure here.
std::optional<Verdict> bleu_verdict(const Row& row, const Row& baseline);
std::optional<Verdict> perplexity_verdict(const Row& row, const Row& baseline);

/// Perplexity of a row minus the baseline's; absent without both, and for the baseline itself.
std::optional<double> perplexity_difference(const Row& row, const Row& baseline);

}  // namespace transformer::report

// Whether rows have the same variance, as a pooled one takes them to have.
#pragma once

#include <optional>
#include <span>

#include "transformer/report/statistics.h"

namespace transformer::report {

/// The p-value of Bartlett's test that all rows have one variance. summaries: of two values each or more.
/// (Levene's test and Brown and Forsythe's say nothing of rows with two values: both lie equally far from
/// their middle.) Absent with fewer than two rows; 0 where some rows, but not all, have a variance of 0.
std::optional<double> bartlett_p_value(std::span<const Summary> summaries);

/// The probability that χ² is at least `value`, with this many degrees of freedom, at least 1 (Abramowitz and
/// Stegun, 26.4.4 and 26.4.5).
double chi_squared_above(double value, int degrees);

}  // namespace transformer::report

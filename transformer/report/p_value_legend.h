// What the p-values of a report mean, in sentences for its reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transformer/report/p_values.h"

namespace transformer::report {

/// How many comparisons stay significant by Holm p; what: "rows". Empty with fewer than two comparisons.
std::string after_correction(const std::vector<PValues>& all, std::string_view what);

/// "0.46, pooled over the rows that have several seeds (degrees of freedom: 20; Bartlett's test of equal
/// variances: p = 0.627)", and what it means where the variances differ.
std::string pooled_deviation(const SeedNoise& noise, int decimals);

/// Of the table of results.
std::vector<std::string> p_value_legend(const Report& report);

}  // namespace transformer::report

// Figures as a reader of the report sees them. What is not known is "–".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transformer/report/agreement.h"
#include "transformer/report/p_values.h"
#include "transformer/report/statistics.h"

namespace transformer::report {

inline constexpr int score_decimals = 2;  ///< of a score that was measured here

inline constexpr std::string_view absent = "–";

/// "25.80", "NaN", "∞", "−∞". Very large values become "1.2e9".
std::string format_value(double value, int decimals);
std::string format_value(const std::optional<double>& value, int decimals);

/// "25.80", with two seeds or more "25.80 ± 0.12 (3)".
std::string format_summary(const Summary& summary, int decimals);

/// With its sign: "+0.31", "−0.31"; "0.00" where nothing of it is left.
std::string format_difference(double value, int decimals);

/// "p = 0.043, Holm p = 0.129 (sentences p = 0.024, seeds p = 0.034)", "sentences p = 0.024, Holm p = 0.072"
std::string format_p_values(const PValues& values);

/// Of these what decides: "p = 0.043, Holm p = 0.129".
std::string format_deciding(const PValues& values);

/// "p = 0.012", "p < 0.001"
std::string format_p_value(double p_value);

/// The two ends: "25.31–26.27".
std::string format_interval(const eval::Interval& interval);

/// "3.3e18"
std::string format_flops(double flops);

/// "42 s", "12 min 30 s", "1 h 23 min", "3 d 4 h"
std::string format_time(double seconds);

/// Millions with one decimal: "65.0"; two digits below one million: "0.041".
std::string format_millions(std::int64_t parameters);

/// "100 000", with spaces at which no line breaks.
std::string format_count(std::int64_t count);

/// "100 000", or "80 000–100 000" if the finished runs differ.
std::string format_steps(const Row& row);

/// "finished", "finished (3 seeds)", "1 of 3 seeds finished; seed 2: training, step 9 of 10; seed 3:
/// waiting".
std::string format_state(const Row& row);

/// A row's name; a row without one gets "(unnamed)".
std::string display_name(std::string_view name);

std::string_view direction_name(Direction direction);
std::string_view verdict_name(Verdict verdict);

}  // namespace transformer::report

#include "transformer/report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace transformer::report {
namespace {

/// fmt's "3.3e+18" and "1.0e-05" without what says nothing.
std::string format_power(double value) {
  std::string text = fmt::format("{:.1e}", value);
  const auto exponent = text.find('e') + 1;
  if (text[exponent] == '+') text.erase(exponent, 1);
  const auto digits = text[exponent] == '-' ? exponent + 1 : exponent;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  return text;
}

/// Those that are known, with commas between them.
std::string list_of(std::initializer_list<std::pair<std::string_view, std::optional<double>>> p_values) {
  std::string text;
  for (const auto& [name, p_value] : p_values)
    if (p_value) text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name, format_p_value(*p_value));
  return text;
}

}  // namespace

std::string format_value(double value, int decimals) {
  if (std::isnan(value)) return "NaN";
  if (value < 0) return "−" + format_value(-value, decimals);
  if (std::isinf(value)) return "∞";
  return value < 1e7 ? fmt::format("{:.{}f}", value, decimals) : format_power(value);
}

std::string format_value(const std::optional<double>& value, int decimals) {
  return value ? format_value(*value, decimals) : std::string(absent);
}

std::string format_summary(const Summary& summary, int decimals) {
  if (summary.count == 0) return std::string(absent);
  std::string mean = format_value(summary.mean, decimals);
  if (!summary.deviation) return mean;
  if (!std::isfinite(*summary.deviation)) return fmt::format("{} ({})", mean, summary.count);
  return fmt::format("{} ± {} ({})", mean, format_value(*summary.deviation, decimals), summary.count);
}

std::string format_difference(double value, int decimals) {
  std::string size = format_value(std::abs(value), decimals);
  const bool nothing = size.find_first_not_of("0.") == std::string::npos;
  if (nothing || std::isnan(value)) return size;
  return (value < 0 ? "−" : "+") + size;
}

std::string format_p_values(const PValues& values) {
  const auto deciding = format_deciding(values);
  if (!values.sentences || !values.seeds) return deciding;
  return fmt::format("{} ({})", deciding,
                     list_of({{"sentences ", values.sentences}, {"seeds ", values.seeds}}));
}

std::string format_deciding(const PValues& values) {
  const auto* name = values.sentences && values.seeds ? "" : values.seeds ? "seeds " : "sentences ";
  return list_of({{name, values.together}, {"Holm ", values.holm}});
}

std::string format_p_value(double p_value) {
  return p_value < 0.001 ? "p < 0.001" : "p = " + format_value(p_value, 3);
}

std::string format_interval(const eval::Interval& interval) {
  return fmt::format("{}–{}", format_value(interval.mean - interval.half_width, 2),
                     format_value(interval.mean + interval.half_width, 2));
}

std::string format_flops(double flops) {
  return std::isfinite(flops) && flops > 0 ? format_power(flops) : std::string(absent);
}

std::string format_time(double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return std::string(absent);
  const auto whole = std::llround(std::min(seconds, 1e12));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  // Beyond the hour, minutes are rounded: 1 h 59 min 40 s is 2 h 0 min.
  const auto minutes = (whole + 30) / 60;
  constexpr std::int64_t two_days = 2880;
  if (minutes < two_days) return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  const auto hours = (minutes + 30) / 60;
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

std::string format_millions(std::int64_t parameters) {
  if (parameters <= 0) return std::string(absent);
  const double millions = static_cast<double>(parameters) / 1e6;
  return parameters < 1'000'000 ? fmt::format("{:.2g}", millions) : fmt::format("{:.1f}", millions);
}

std::string format_count(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > first + 3;) {
    end -= 3;
    text.insert(end, "\u00a0");
  }
  return text;
}

std::string format_steps(const Row& row) {
  std::optional<std::int64_t> least, most;
  for (const auto& run : row.runs) {
    if (!is_finished(run)) continue;
    least = std::min(least.value_or(run.steps), run.steps);
    most = std::max(most.value_or(run.steps), run.steps);
  }
  if (!least) return std::string(absent);
  return *least == *most ? format_count(*least)
                         : fmt::format("{}–{}", format_count(*least), format_count(*most));
}

std::string format_state(const Row& row) {
  if (row.runs.empty()) return std::string(absent);
  const auto done = std::count_if(row.runs.begin(), row.runs.end(), is_finished);
  const auto all = std::ssize(row.runs);
  if (all == 1) return row.runs[0].state.empty() ? std::string(absent) : row.runs[0].state;
  if (done == all) return fmt::format("{} ({} seeds)", finished, all);
  std::string text = fmt::format("{} of {} seeds {}", done, all, finished);
  for (const auto& run : row.runs) {
    if (!is_finished(run))
      text += fmt::format("; seed {}: {}", run.seed, run.state.empty() ? absent : run.state);
  }
  return text;
}

std::string display_name(std::string_view name) {
  return name.find_first_not_of(" \t\r\n") == std::string_view::npos ? "(unnamed)" : std::string(name);
}

std::string_view direction_name(Direction direction) {
  switch (direction) {
    case Direction::worse:
      return "worse";
    case Direction::equal:
      return "equal";
    case Direction::better:
      return "better";
  }
  return absent;
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::opposite:
      return "opposite";
    case Verdict::undecided:
      return "not decided";
  }
  return absent;
}

}  // namespace transformer::report

#include "transformer/report/p_value_legend.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/report/agreement.h"
#include "transformer/report/format.h"

namespace transformer::report {

std::string after_correction(const std::vector<PValues>& all, std::string_view what) {
  const auto [compared, significant, remaining] = count_significant(all);
  if (compared < 2) return {};
  return fmt::format(
      "“Holm p” is corrected for the {} {} that are compared: {} have p < {}, {} have Holm p < {}.", compared,
      what, significant, significance_level, remaining, significance_level);
}

std::string pooled_deviation(const SeedNoise& noise, int decimals) {
  const auto& equal = noise.equal_variances;
  std::string text = fmt::format("{}, pooled over the rows that have several seeds (degrees of freedom: {}",
                                 format_value(noise.deviation, decimals), noise.degrees);
  if (!equal) return text + ")";
  text += fmt::format("; Bartlett's test of equal variances: {})", format_p_value(*equal));
  if (*equal < significance_level)
    text +=
        ". The rows' variances differ, so that p is too low for a row whose own seeds differ by more than "
        "that, and too high for one whose seeds differ by less";
  return text;
}

std::vector<std::string> p_value_legend(const Report& report) {
  const auto all = score_p_values(report);
  const auto any = [&](std::optional<double> PValues::*which) {
    return std::ranges::any_of(all, [&](const PValues& one) { return (one.*which).has_value(); });
  };
  std::vector<std::string> lines = {
      fmt::format("“Against {}” is the difference in {}.", report.baseline, report.score.title)};
  if (any(&PValues::sentences))
    lines.emplace_back(
        "All p-values are two-sided. “Sentences p” is that of a paired bootstrap over the dev set's "
        "sentences; sacreBLEU's is one-sided, for a clear difference about half of it.");
  if (const auto noise = score_noise(report); noise && any(&PValues::seeds)) {
    lines.push_back(
        fmt::format("“Seeds p” is that of Student's t with one standard deviation of {} over seeds for "
                    "all rows: {}. {}",
                    report.score.title, pooled_deviation(*noise, score_decimals), left_out_of_pool));
    lines.emplace_back(
        "“p” counts sentences and seeds together: it is below 0.05 where the 95 % interval of the "
        "difference does not hold 0.");
  }
  if (auto line = after_correction(all, "rows"); !line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace transformer::report

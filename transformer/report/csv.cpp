#include <fmt/format.h>

#include <cmath>

#include "transformer/report/agreement.h"
#include "transformer/report/escape.h"
#include "transformer/report/p_values.h"
#include "transformer/report/report.h"
#include "transformer/report/statistics.h"
#include "transformer/report/tables.h"

namespace transformer::report {
namespace {

/// {}: of the score.
constexpr std::string_view columns =
    "group,row,changes,baseline,parameters,seed,state,steps,seconds,flops,perplexity,{0},{0}_interval_mean,"
    "{0}_interval_half_width,{0}_difference,{0}_p_value,{0}_seed_p_value,{0}_together_p_value,{0}_holm_p_"
    "value,"
    "paper_perplexity,paper_{0},paper_parameters_millions";

/// The shortest digits that give the same number again.
std::string number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

std::string number(const std::optional<double>& value) {
  return value ? number(*value) : std::string();
}

std::string run_fields(const Run& run) {
  // Without measurements there is nothing to say of them, rather than 0.
  const auto measured = [](double value) { return value > 0 ? number(value) : std::string(); };
  return fmt::format("{},{},{},{},{},{},{}", run.seed, quote_csv(clean(run.state)),
                     measured(static_cast<double>(run.steps)), measured(run.seconds), measured(run.flops),
                     number(run.perplexity), number(run.score));
}

std::string test_columns(const Report& report) {
  std::string names;
  for (const auto& measure : report.test_measures)
    names += fmt::format(",test_{}{}{}", report.score.id, measure.name.empty() ? "" : "_", measure.name);
  return names + fmt::format(",seconds_times_flops,published_{},published_flops", report.score.id);
}

std::string target_columns(const Report& report) {
  return report.target ? ",target,target_p_value" : "";
}

std::string target_fields(const Report& report, const Row& row) {
  if (!report.target) return {};
  return fmt::format(",{},{}", number(*report.target),
                     number(target_p_value(report.score, score_of(row), *report.target)));
}

/// What is in these columns.
std::string test_fields(const Report& report, const Run& run, const PublishedSystem& system) {
  std::string text;
  for (std::size_t i = 0; i < report.test_measures.size(); ++i)
    text += "," + (i < run.test_scores.size() ? number(run.test_scores[i]) : std::string());
  text += "," +
          (report.sustained > 0 && run.seconds > 0 ? number(run.seconds * report.sustained) : std::string());
  return text + fmt::format(",{},{}", number(system.score), number(system.flops));
}

}  // namespace

std::string to_csv(const Report& report) {
  const bool tests = has_test_table(report);
  auto text = fmt::format(columns, report.score.id);
  text += (tests ? test_columns(report) : "") + target_columns(report) + "\n";
  const auto p_values = score_p_values(report);
  for (const auto& row : report.rows) {
    std::string before;
    for (const auto& field : {row.group, row.name, row.changes, report.baseline})
      before += quote_csv(clean(field)) + ",";
    before += fmt::format("{},", row.parameters);
    std::string after;
    after += row.score_interval ? fmt::format(",{},{}", number(row.score_interval->mean),
                                              number(row.score_interval->half_width))
                                : ",,";
    const auto& chance = of_row(p_values, report, row);
    after += row.against_baseline ? "," + number(row.against_baseline->difference) : ",";
    after += fmt::format(",{},{},{},{}", number(chance.sentences), number(chance.seeds),
                         number(chance.together), number(chance.holm));
    after += fmt::format(",{},{},{}", number(row.paper.perplexity), number(row.paper.score),
                         number(row.paper.parameters));
    const auto add = [&](const std::string& fields, const Run& run) {
      text += before + fields + after + (tests ? test_fields(report, run, {}) : "") +
              target_fields(report, row) + "\n";
    };
    for (const auto& run : row.runs) add(run_fields(run), run);
    // A row is never lost, even if there is no run of it.
    if (row.runs.empty()) add(",,,,,,", {});
  }
  for (const auto& system : report.published)
    text += fmt::format("{},{},,{},,,published,,,,,,,,,,,,,,,{}{}\n", quote_csv(clean(system.group)),
                        quote_csv(clean(system.name)), quote_csv(clean(report.baseline)),
                        test_fields(report, {}, system), target_fields(report, {}));
  return text;
}

}  // namespace transformer::report

#include <fmt/format.h>

#include <cmath>

#include "transformer/report/escape.h"
#include "transformer/report/report.h"

namespace transformer::report {
namespace {

constexpr std::string_view columns =
    "group,row,changes,baseline,parameters,seed,state,steps,seconds,flops,perplexity,bleu,bleu_interval_mean,"
    "bleu_interval_half_width,bleu_difference,bleu_p_value,paper_perplexity,paper_bleu,paper_parameters_"
    "millions";

/// The shortest digits that give the same number again.
std::string number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

std::string number(const std::optional<double>& value) {
  return value ? number(*value) : std::string();
}

std::string run_fields(const Run& run) {
  return fmt::format("{},{},{},{},{},{},{}", run.seed, quote_csv(clean(run.state)), run.steps,
                     number(run.seconds), number(run.flops), number(run.perplexity), number(run.bleu));
}

}  // namespace

std::string to_csv(const Report& report) {
  std::string text(columns);
  text += "\n";
  for (const auto& row : report.rows) {
    std::string before;
    for (const auto& field : {row.group, row.name, row.changes, report.baseline})
      before += quote_csv(clean(field)) + ",";
    before += fmt::format("{},", row.parameters);
    std::string after;
    after += row.bleu_interval ? fmt::format(",{},{}", number(row.bleu_interval->mean),
                                             number(row.bleu_interval->half_width))
                               : ",,";
    after += row.against_baseline ? fmt::format(",{},{}", number(row.against_baseline->difference),
                                                number(row.against_baseline->p_value))
                                  : ",,";
    after += fmt::format(",{},{},{}\n", number(row.paper.perplexity), number(row.paper.bleu),
                         number(row.paper.parameters));
    for (const auto& run : row.runs) text += before + run_fields(run) + after;
    // A row is never lost, even if there is no run of it.
    if (row.runs.empty()) text += before + ",,,,,," + after;
  }
  return text;
}

}  // namespace transformer::report

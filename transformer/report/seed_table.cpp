#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "transformer/report/format.h"
#include "transformer/report/statistics.h"
#include "transformer/report/tables.h"

namespace transformer::report {
namespace {

constexpr int kPerplexityDecimals = 2;

/// "41.65 (3.36)"
std::string of_seed(const Row& row, std::int64_t seed) {
  const auto run = std::ranges::find(row.runs, seed, &Run::seed);
  if (run == row.runs.end() || !is_finished(*run)) return std::string(absent);
  return fmt::format("{} ({})", format_value(run->score, score_decimals),
                     format_value(run->perplexity, kPerplexityDecimals));
}

}  // namespace

bool has_seed_table(const Report& report) {
  return std::ranges::any_of(report.rows, [](const Row& row) { return row.runs.size() > 1; });
}

Table seed_table(const Report& report) {
  std::set<std::int64_t> seeds;
  for (const auto& row : report.rows)
    for (const auto& run : row.runs) seeds.insert(run.seed);
  Table table{.columns = {{"Row"}}, .name_column = 0, .lines = {}};
  for (const auto seed : seeds) table.columns.push_back({fmt::format("Seed {}", seed), Kind::number});
  for (const auto& row : report.rows) {
    Line line{.is_baseline = &row == baseline_of(report), .cells = {{display_name(row.name)}}};
    for (const auto seed : seeds) line.cells.push_back({of_seed(row, seed)});
    table.lines.push_back(std::move(line));
  }
  return table;
}

std::vector<std::string> seed_legend(const Report& report) {
  return {fmt::format("{} of the dev set after each finished training, and in brackets the perplexity.",
                      report.score.title)};
}

}  // namespace transformer::report

#include <fmt/format.h>

#include <algorithm>

#include "transformer/report/format.h"
#include "transformer/report/statistics.h"
#include "transformer/report/tables.h"

namespace transformer::report {
namespace {

/// In the order in which rows, and then published systems, have them.
std::vector<std::string> all_groups(const Report& report) {
  std::vector<std::string> groups;
  const auto add = [&](const std::string& group) {
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  };
  for (const auto& row : report.rows) add(row.group);
  for (const auto& system : report.published) add(system.group);
  return groups;
}

/// "BLEU (13a)", "chrF2"
std::string title_of(const Report& report, const TestMeasure& measure) {
  return measure.name.empty() ? report.score.title : fmt::format("{} ({})", report.score.title, measure.name);
}

/// The columns of which each is there for a reason.
struct Shown {
  explicit Shown(const Report& report)
      : groups(all_groups(report) != std::vector<std::string>{""}),
        tests(!report.test_measures.empty()),
        published(!report.published.empty()),
        sustained(report.sustained > 0) {}

  bool groups, tests, published, sustained;
};

std::vector<Column> columns_of(const Report& report, const Shown& shown) {
  std::vector<Column> columns;
  if (shown.groups) columns.push_back({"Group"});
  columns.push_back({"System"});
  columns.push_back({"State", Kind::text});
  if (shown.tests) columns.push_back({"Test set"});
  for (const auto& measure : report.test_measures)
    columns.push_back({title_of(report, measure), Kind::number});
  if (shown.published) columns.push_back({report.score.title + " (published)", Kind::number});
  columns.push_back({"FLOPs", Kind::number});
  if (shown.sustained) columns.push_back({"Time × FLOP/s", Kind::number});
  if (shown.published) columns.push_back({"FLOPs (published)", Kind::number});
  return columns;
}

const Cell nothing{std::string(absent)};

std::vector<Cell> cells_of(const Row& row, const Report& report, const Shown& shown) {
  std::vector<Cell> cells;
  if (shown.groups) cells.push_back({row.group});
  cells.push_back({display_name(row.name)});
  cells.push_back({format_state(row)});
  if (shown.tests) cells.push_back({row.test.empty() ? std::string(absent) : row.test});
  for (std::size_t i = 0; i < report.test_measures.size(); ++i)
    cells.push_back({format_summary(test_score_of(row, i), score_decimals)});
  if (shown.published) cells.push_back(nothing);
  cells.push_back({format_flops(flops_of(row).mean)});
  if (shown.sustained) cells.push_back({format_flops(seconds_of(row).mean * report.sustained)});
  if (shown.published) cells.push_back(nothing);
  return cells;
}

std::vector<Cell> cells_of(const PublishedSystem& system, const Report& report, const Shown& shown) {
  std::vector<Cell> cells;
  if (shown.groups) cells.push_back({system.group});
  cells.push_back({display_name(system.name)});
  cells.push_back({"published"});
  if (shown.tests) cells.push_back(nothing);
  cells.insert(cells.end(), report.test_measures.size(), nothing);
  cells.push_back({format_value(system.score, score_decimals)});
  cells.push_back(nothing);
  if (shown.sustained) cells.push_back(nothing);
  cells.push_back({format_flops(system.flops.value_or(0))});
  return cells;
}

}  // namespace

bool has_test_table(const Report& report) {
  return !report.test_measures.empty() || !report.published.empty() || report.sustained > 0;
}

Table test_table(const Report& report) {
  const Shown shown(report);
  Table table{.columns = columns_of(report, shown), .name_column = shown.groups ? 1U : 0U, .lines = {}};
  for (const auto& group : all_groups(report)) {
    bool starts = !table.lines.empty();
    const auto add = [&](std::vector<Cell> cells, bool is_baseline) {
      table.lines.push_back({.starts_group = starts, .is_baseline = is_baseline, .cells = std::move(cells)});
      starts = false;
    };
    for (const auto& system : report.published)
      if (system.group == group) add(cells_of(system, report, shown), false);
    for (const auto& row : report.rows)
      if (row.group == group) add(cells_of(row, report, shown), &row == baseline_of(report));
  }
  return table;
}

std::vector<std::string> test_legend(const Report& report) {
  const Shown shown(report);
  std::vector<std::string> lines;
  for (const auto& measure : report.test_measures)
    lines.push_back(fmt::format(
        "{} is that of the test set under {}{}.", title_of(report, measure), measure.signature,
        measure.language.empty() ? "" : fmt::format(", whose rules are for {} alone", measure.language)));
  if (shown.published)
    lines.emplace_back(
        "A system whose state is “published” was not trained here: its figures are those that are printed of "
        "it. A published BLEU is of tokenised text, and 13a is another measure.");
  lines.emplace_back("FLOPs are counted: the matrix products of a training, forward and backward.");
  if (shown.sustained)
    lines.push_back(fmt::format(
        "Time × FLOP/s is a device's time of training times {} FLOP/s. That is how the paper and its Table 2 "
        "estimate the cost: it contains what a device could have computed while it did something else or "
        "less than that.",
        format_flops(report.sustained)));
  return lines;
}

}  // namespace transformer::report

#include "transformer/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "transformer/base/choices.h"
#include "transformer/report/agreement.h"
#include "transformer/report/curves.h"
#include "transformer/report/doubts.h"
#include "transformer/report/format.h"
#include "transformer/report/p_value_legend.h"
#include "transformer/report/statistics.h"

namespace transformer::report {
namespace {

constexpr int perplexity_decimals = 2;
constexpr int paper_score_decimals = 1;
constexpr int correlation_decimals = 2;
constexpr int logarithm_decimals = 4;

bool in_paper(const Row& row) {
  return row.paper.perplexity || row.paper.score || row.paper.parameters;
}

/// Where a target is surpassed.
std::string_view beyond(const Report& report) {
  return report.score.less_is_better ? "Below" : "Above";
}

bool has_groups(const Report& report) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [](const Row& row) { return !row.group.empty(); });
}

/// A table whose first columns name the row; `fill` adds the other cells.
template <typename Chosen, typename Fill>
Table make_table(const Report& report, std::vector<Column> columns, Chosen chosen, Fill fill) {
  const bool groups = has_groups(report);
  Table table;
  if (groups) table.columns.push_back({"Group"});
  table.name_column = table.columns.size();
  table.columns.push_back({"Row"});
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  const Row* above = nullptr;
  for (const auto& row : report.rows) {
    if (!chosen(row)) continue;
    Line line;
    line.starts_group = above != nullptr && above->group != row.group;
    line.is_baseline = &row == baseline_of(report);
    if (groups) line.cells.push_back({row.group});
    line.cells.push_back({display_name(row.name)});
    fill(row, line.cells);
    table.lines.push_back(std::move(line));
    above = &row;
  }
  return table;
}

/// "worse (+0.37)"
Cell paper_direction(std::optional<Direction> direction, const std::optional<double>& value,
                     const std::optional<double>& base, int decimals) {
  if (!direction) return {std::string(absent)};
  if (*direction == Direction::equal) return {std::string(direction_name(*direction))};
  return {fmt::format("{} ({})", direction_name(*direction), format_difference(*value - *base, decimals))};
}

Mark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return Mark::agrees;
    case Verdict::opposite:
      return Mark::opposite;
    case Verdict::undecided:
      return Mark::none;
  }
  no_such_choice();
}

/// "agrees (+0.41)", or the difference alone where there is nothing to judge.
Cell here(std::optional<Verdict> verdict, const std::string& difference) {
  if (!verdict) return {difference};
  return {fmt::format("{} ({})", verdict_name(*verdict), difference), mark_of(*verdict)};
}

/// "+0.41, p = 0.012, Holm p = 0.204"
std::string beside_p(const std::string& difference, const PValues& p_values) {
  const auto deciding = format_deciding(p_values);
  return deciding.empty() ? difference : fmt::format("{}, {}", difference, deciding);
}

/// "Perplexity: 12 agree, 1 opposite, 5 not decided; 14 of 18 have the paper's sign, …"
std::string describe(std::string_view figure, const Agreement& found) {
  auto text = fmt::format("{}: {} agree, {} opposite, {} not decided; {} of {} have the paper's sign.",
                          figure, found.agree, found.opposite, found.undecided, found.same_sign,
                          found.agree + found.opposite + found.undecided);
  if (found.agree + found.opposite > 0)
    text +=
        fmt::format(" By Holm p {} agree and {} are opposite.", found.agree_by_holm, found.opposite_by_holm);
  if (found.interval)
    text += fmt::format(
        " Spearman's correlation with the paper's column: {} (n = {}; 95 % interval over resampled rows {} "
        "to "
        "{}).",
        format_value(found.correlation, correlation_decimals), found.rows,
        format_value(found.interval->low, correlation_decimals),
        format_value(found.interval->high, correlation_decimals));
  return text;
}

}  // namespace

Table results_table(const Report& report) {
  const Row* baseline = baseline_of(report);
  std::vector<Column> columns = {{"Changes", Kind::text},        {"State", Kind::text},
                                 {"Steps", Kind::number},        {"Time", Kind::number},
                                 {"FLOPs", Kind::number},        {"Parameters (10⁶)", Kind::number},
                                 {"Perplexity", Kind::number},   {report.score.title, Kind::number},
                                 {"95 % interval", Kind::number}};
  if (baseline) {
    columns.push_back({fmt::format("Against {}", report.baseline), Kind::number});
    columns.push_back({"p-value", Kind::number});
  }
  const auto p_values = score_p_values(report);
  if (report.target)
    columns.push_back(
        {fmt::format("{} {}", beyond(report), format_value(report.target, score_decimals)), Kind::number});
  const bool reach = report.reach_base && baseline != nullptr;
  if (reach) {
    columns.push_back({fmt::format("Updates to {}", report.baseline), Kind::number});
    columns.push_back({fmt::format("Time to {}", report.baseline), Kind::number});
  }
  return make_table(
      report, std::move(columns), [](const Row&) { return true; },
      [&](const Row& row, std::vector<Cell>& cells) {
        const auto seconds = seconds_of(row);
        const auto flops = flops_of(row);
        const bool is_baseline = &row == baseline;
        cells.push_back({!row.changes.empty() ? row.changes
                         : is_baseline        ? "(baseline)"
                                              : std::string(absent)});
        cells.push_back({format_state(row)});
        cells.push_back({format_steps(row)});
        cells.push_back({format_time(seconds.mean)});
        cells.push_back({format_flops(flops.mean)});
        cells.push_back({format_millions(row.parameters)});
        cells.push_back({format_summary(perplexity_of(row), perplexity_decimals)});
        cells.push_back({format_summary(score_of(row), score_decimals)});
        cells.push_back({row.score_interval ? format_interval(*row.score_interval) : std::string(absent)});
        if (baseline) {
          const auto& against = row.against_baseline;
          cells.push_back(
              {against ? format_difference(against->difference, score_decimals) : std::string(absent)});
          cells.push_back({against ? format_p_values(of_row(p_values, report, row)) : std::string(absent)});
        }
        if (report.target) {
          const auto p_value = target_p_value(report.score, score_of(row), *report.target);
          cells.push_back({p_value ? format_p_value(*p_value) : std::string(absent)});
        }
        if (reach) {
          const auto step = step_of_reaching(*baseline, row);
          cells.push_back({step ? format_count(*step) : std::string(absent)});
          const auto steps = static_cast<double>(std::ranges::max(row.runs, {}, &Run::steps).steps);
          cells.push_back({step && seconds.count > 0
                               ? format_time(seconds.mean * static_cast<double>(*step) / steps)
                               : std::string(absent)});
        }
      });
}

std::vector<std::string> results_legend(const Report& report) {
  std::vector<std::string> lines = {
      "Figures are those of finished runs; “mean ± sd (n)” gives the mean and the sample standard deviation "
      "over n seeds.",
      "Steps, time and FLOPs are those of one training, the latter two averaged over the seeds.",
      "Perplexity is per subword and never smoothed.",
      fmt::format("The interval holds {} in 95 % of the resamplings of the dev set's sentences.",
                  report.score.title)};
  if (baseline_of(report)) std::ranges::move(p_value_legend(report), std::back_inserter(lines));
  if (report.target)
    lines.push_back(fmt::format(
        "“{0} {1}” is the probability that seeds give a mean as {2} where the true one is {1}: Student's "
        "t, one-sided, with the row's own standard deviation.",
        beyond(report), format_value(report.target, score_decimals),
        report.score.less_is_better ? "low" : "high"));
  if (report.reach_base && baseline_of(report))
    lines.push_back(
        fmt::format("“Updates to {0}”: the first evaluation with a perplexity, averaged over seeds, of at "
                    "most that of {0} "
                    "after its last update. The time is that share of the training's.",
                    report.baseline));
  return lines;
}

bool has_paper_figures(const Report& report) {
  return std::any_of(report.rows.begin(), report.rows.end(), in_paper);
}

Table paper_table(const Report& report) {
  const Row* baseline = baseline_of(report);
  const auto of_score = score_p_values(report), of_perplexity = perplexity_p_values(report);
  return make_table(
      report,
      {{"Parameters (10⁶)", Kind::number},
       {"In the paper", Kind::number},
       {"Perplexity", Kind::number},
       {"In the paper", Kind::number},
       {"Paper finds"},
       {"Here"},
       {report.score.title, Kind::number},
       {"In the paper", Kind::number},
       {"Paper finds"},
       {"Here"}},
      in_paper, [&](const Row& row, std::vector<Cell>& cells) {
        const Row& base =
            baseline ? *baseline : row;  // a row against itself has neither direction nor verdict
        const bool alone = &base == &row;
        const auto difference = perplexity_difference(row, base);
        cells.push_back({format_millions(row.parameters)});
        cells.push_back({format_value(row.paper.parameters, 0)});
        cells.push_back({format_summary(perplexity_of(row), perplexity_decimals)});
        cells.push_back({format_value(row.paper.perplexity, perplexity_decimals)});
        cells.push_back(paper_direction(alone ? std::nullopt : paper_perplexity_direction(row, base),
                                        row.paper.perplexity, base.paper.perplexity, perplexity_decimals));
        cells.push_back(here(perplexity_verdict(report, row),
                             difference ? beside_p(format_difference(*difference, perplexity_decimals),
                                                   of_row(of_perplexity, report, row))
                                        : std::string(absent)));
        cells.push_back({format_summary(score_of(row), score_decimals)});
        cells.push_back({format_value(row.paper.score, paper_score_decimals)});
        cells.push_back(paper_direction(alone ? std::nullopt : paper_score_direction(report.score, row, base),
                                        row.paper.score, base.paper.score, paper_score_decimals));
        const auto& against = row.against_baseline;
        cells.push_back(here(score_verdict(report, row),
                             against ? beside_p(format_difference(against->difference, score_decimals),
                                                of_row(of_score, report, row))
                                     : std::string(absent)));
      });
}

std::vector<std::string> paper_legend(const Report& report) {
  if (!baseline_of(report)) return {"There is no baseline to compare with."};
  std::vector<std::string> lines = {std::string(verdict_rule), std::string(doubts_rule)};
  if (const auto noise = perplexity_noise(report))
    lines.push_back(fmt::format(
        "p of perplexity is that of Student's t with one standard deviation of its logarithm over "
        "seeds for all rows: {}.",
        pooled_deviation(*noise, logarithm_decimals)));
  lines.push_back(describe("Perplexity", perplexity_agreement(report)));
  lines.push_back(describe(report.score.title, score_agreement(report)));
  return lines;
}

std::vector<Section> sections(const Report& report) {
  std::vector<Section> sections;
  if (!report.claims.empty()) sections.push_back({"Claims", claims_table(report), claims_legend(report)});
  if (has_paper_figures(report))
    sections.push_back({"Compared with the paper", paper_table(report), paper_legend(report)});
  if (has_test_table(report))
    sections.push_back({report.score.title + " and training cost", test_table(report), test_legend(report)});
  if (!report.rows.empty()) sections.push_back({"Results", results_table(report), results_legend(report)});
  if (has_seed_table(report))
    sections.push_back({"Scores by seed", seed_table(report), seed_legend(report), /*folded=*/true});
  return sections;
}

std::vector<std::string> warnings(const Report& report) {
  return report.claims.empty() && !has_paper_figures(report) ? std::vector<std::string>()
                                                             : doubts_about_baseline(report);
}

}  // namespace transformer::report

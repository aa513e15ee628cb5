#include "transformer/report/claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "transformer/base/choices.h"
#include "transformer/report/doubts.h"
#include "transformer/report/format.h"
#include "transformer/report/p_value_legend.h"
#include "transformer/report/statistics.h"
#include "transformer/report/tables.h"

namespace transformer::report {
namespace {

/// Whether all of an interval of gains, or none of it, is where a claim says. NaN is nowhere.
struct Place {
  bool inside, outside;
};

Place place_of(const Claim& claim, double low, double high) {
  switch (claim.expected) {
    case Direction::worse:
      return {high < 0, low >= 0};
    case Direction::equal:
      return {low >= -claim.within && high <= claim.within, high < -claim.within || low > claim.within};
    case Direction::better:
      return {low > 0, high <= 0};
  }
  no_such_choice();
}

Finding judge(const Claim& claim, double low, double high) {
  const auto place = place_of(claim, low, high);
  if (place.inside) return Finding::held;
  return place.outside ? Finding::not_held : Finding::undecided;
}

std::string_view finding_name(Finding finding) {
  switch (finding) {
    case Finding::held:
      return "held";
    case Finding::not_held:
      return "not held";
    case Finding::undecided:
      return "not decided";
  }
  no_such_choice();
}

Mark mark_of(Finding finding) {
  switch (finding) {
    case Finding::held:
      return Mark::agrees;
    case Finding::not_held:
      return Mark::opposite;
    case Finding::undecided:
      return Mark::none;
  }
  no_such_choice();
}

std::string expectation(const Claim& claim) {
  return claim.expected == Direction::equal
             ? fmt::format("{} within {:.4g}", direction_name(claim.expected), claim.within)
             : std::string(direction_name(claim.expected));
}

/// Two rows that learnt nothing, with a score of 0 each, are no evidence. Where equal rows may be apart by
/// more, rows no better than that are equal whatever they are. (Where less is better, 0 is no such score.)
bool says_nothing(const Score& score, const Claim& claim, const Row& row, const Row& against) {
  if (score.less_is_better) return false;
  const double nothing = claim.expected == Direction::equal ? claim.within : 0;
  return std::max(score_of(row).mean, score_of(against).mean) <= nothing;
}

}  // namespace

std::optional<Evidence> evidence_of(const Report& report, const Claim& claim) {
  const Row *row = find_row(report, claim.row), *against = find_row(report, claim.against);
  if (row == nullptr || against == nullptr || !claim.comparison) return std::nullopt;
  const auto noise = score_noise(report);
  Evidence found{.difference = claim.comparison->difference,
                 .half_width = half_width_of_difference(report, *row, *against, *claim.comparison)};
  const bool decides = doubts_about_baseline(report).empty() && missing_seeds(*against).empty();
  if (noise && decides && !says_nothing(report.score, claim, *row, *against)) {
    const double gain = gain_of(report.score, found.difference);
    found.finding = judge(claim, gain - found.half_width, gain + found.half_width);
  }
  return found;
}

Table claims_table(const Report& report) {
  // The verdict stands beside the claim, where a narrow screen shows it.
  Table table{.columns = {{"Claim", Kind::text},
                          {"Verdict"},
                          {"Said in"},
                          {"Row"},
                          {"Against"},
                          {"Expected"},
                          {report.score.title, Kind::number},
                          {"95 % interval", Kind::number},
                          {"p-value", Kind::number}},
              .name_column = 3,
              .lines = {}};
  const auto p_values = claim_p_values(report);
  for (const auto& claim : report.claims) {
    const auto found = evidence_of(report, claim);
    std::vector<Cell> cells = {{claim.text},
                               found
                                   ? Cell{std::string(finding_name(found->finding)), mark_of(found->finding)}
                                   : Cell{std::string(absent)},
                               {claim.source.empty() ? std::string(absent) : claim.source},
                               {display_name(claim.row)},
                               {display_name(claim.against)},
                               {expectation(claim)}};
    if (found) {
      const auto end = [&](double sign) {
        return format_difference(found->difference + sign * found->half_width, score_decimals);
      };
      cells.push_back({format_difference(found->difference, score_decimals)});
      cells.push_back({fmt::format("{} to {}", end(-1), end(1))});
      cells.push_back({format_p_values(p_values[table.lines.size()])});
    } else {
      cells.insert(cells.end(), 3, {std::string(absent)});
    }
    table.lines.push_back({.cells = std::move(cells)});
  }
  return table;
}

std::vector<std::string> claims_legend(const Report& report) {
  int held = 0, not_held = 0, undecided = 0;
  for (const auto& claim : report.claims)
    if (const auto found = evidence_of(report, claim))
      ++(found->finding == Finding::held ? held : found->finding == Finding::not_held ? not_held : undecided);
  std::vector<std::string> lines;
  for (const auto& claim : report.claims)
    if (const Row* against = find_row(report, claim.against);
        against != nullptr && against != baseline_of(report))
      if (const auto missing = missing_seeds(*against); !missing.empty())
        lines.push_back(fmt::format("Nothing is decided yet against {}, which lacks {}.",
                                    display_name(against->name), missing));
  lines.emplace_back(finding_rule);
  lines.emplace_back(doubts_rule);
  if (const auto noise = score_noise(report)) {
    lines.push_back(
        fmt::format("The half width of the interval is the root of the sum of two squares: that of the "
                    "resampled sentences, and that of the seeds by Student's t with the standard deviation "
                    "of {} over seeds, {}. The second already contains part of the variance over "
                    "sentences, so that part, as far as the rows' own seeds show it, is subtracted from the "
                    "first.",
                    report.score.title, pooled_deviation(*noise, score_decimals)));
    lines.emplace_back(
        "“p” counts both: it is below 0.05 where the interval does not hold the bound of the claim, which "
        "is 0, or what is granted to equal rows. “Sentences p” and “seeds p” count one of them each, and "
        "compare with 0. All are two-sided.");
  } else {
    lines.emplace_back(
        "The interval and “p” count the dev set's sentences alone: no row has several seeds yet, and "
        "nothing is decided before one has.");
  }
  if (auto line = after_correction(claim_p_values(report), "claims"); !line.empty())
    lines.push_back(std::move(line));
  lines.push_back(
      fmt::format("Of {} claims {} are held, {} are not held, {} are not decided, and {} wait for runs, or "
                  "their rows have no dev set in common.",
                  report.claims.size(), held, not_held, undecided,
                  static_cast<int>(report.claims.size()) - held - not_held - undecided));
  return lines;
}

}  // namespace transformer::report

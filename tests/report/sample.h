// Reports for the tests.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "transformer/report/report.h"

namespace transformer::test {

using namespace transformer::report;

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// What belongs into no markup, no table and no line.
inline const std::string nasty = "<b>&\"'|`*\n\r\x1b[0m\xff";

inline Run finished_run(std::int64_t seed, double perplexity, double bleu) {
  return {seed,
          std::string(finished),
          {{500, 2 * perplexity}, {750, 1.1 * perplexity}, {1000, perplexity}},
          1000,
          4980,
          3.3e18,
          perplexity,
          bleu};
}

/// A baseline with two seeds, a row that is worse, and one that waits; with the paper's figures.
inline Report small_report() {
  Report report;
  report.title = "Table 3";
  report.departures = {"1000 updates."};
  report.notes = {"Beam 4."};
  report.score = {"bleu", "BLEU", false, "nrefs:1|tok:13a"};
  report.dev = "dev";
  report.baseline = "base";
  Row base{"",
           "base",
           "",
           65'012'345,
           {finished_run(1, 5.0, 25.0), finished_run(2, 5.2, 25.5)},
           {4.92, 25.8, 65},
           eval::Interval{25.25, 0.5},
           {}};
  Row worse{"A",
            "heads 1",
            "h 1, d_k 512",
            65'012'345,
            {finished_run(1, 5.5, 24.5)},
            {5.29, 24.9, {}},
            eval::Interval{24.5, 0.25},
            eval::Comparison{-0.75, 0.012}};
  Row waiting{"E", "learned", "positions learned", 65'500'000, {}, {4.92, 25.7, {}}, {}, {}};
  Run run;
  run.seed = 1;
  run.state = "waiting";
  waiting.runs = {run};
  report.rows = {base, worse, waiting};
  report.failures = {};
  return report;
}

/// The same with test sets under two tokenizations, the cost of time, and what is published of three systems.
inline Report report_with_tests() {
  Report report = small_report();
  report.test_measures = {{"13a", "nrefs:1|tok:13a"}, {"paper", "nrefs:1|tok:paper", "German"}};
  report.sustained = 2e12;
  for (auto& row : report.rows) row.test = "wmt14/newstest2014";
  report.rows[0].runs[0].test_scores = {26.5, 27.25};
  report.rows[0].runs[1].test_scores = {26.5, 27.25};
  report.rows[1].runs[0].test_scores = {38.0, {}};
  report.published = {{"A", "GNMT + RL", 39.92, 1.4e20}, {"", "ByteNet", 23.75, {}}, {"F", "MoE", {}, 1e20}};
  return report;
}

/// The same with what is said of its rows.
inline Report report_with_claims() {
  Report report = small_report();
  report.claims = {{"One head averages.", "3.2.2", "heads 1", "base", Direction::worse, 0,
                    eval::Comparison{-0.75, 0.012, 0.5}},
                   {"Learned | as good", "", "learned", "base", Direction::equal, 1, {}}};
  return report;
}

/// Reports that leave little to divide by, or hold what cannot be drawn.
inline std::vector<Report> odd_reports() {
  std::vector<Report> reports(1);  // nothing at all
  Report nothing_finished = small_report();
  for (auto& row : nothing_finished.rows) {
    for (auto& run : row.runs) run = {run.seed, "waiting", {}, 0, 0, 0, {}, {}};
    row.score_interval = {};
    row.against_baseline = {};
  }
  reports.push_back(nothing_finished);

  Report one_point;
  one_point.rows = {{"", "", "", 0, {{1, std::string(finished), {{0, 3.0}}, 0, 0, 0, 3.0, 0.0}}, {}, {}, {}}};
  reports.push_back(one_point);
  one_point.rows[0].parameters = 1;
  reports.push_back(one_point);

  Report not_numbers = small_report();
  for (auto& row : not_numbers.rows) {
    for (auto& run : row.runs) {
      run.curve = {{1, no_number}, {2, infinity}, {3, -1}, {4, 0}, {5, 1e300}, {6, 5.0}, {7, no_number}};
      run.perplexity = infinity;
      run.score = no_number;
      run.seconds = no_number;
      run.flops = infinity;
    }
    row.score_interval = eval::Interval{no_number, infinity};
    row.against_baseline = eval::Comparison{no_number, no_number};
    row.paper = {no_number, infinity, no_number};
  }
  reports.push_back(not_numbers);
  for (auto& row : not_numbers.rows) {
    for (auto& run : row.runs) run.score = 20;
  }
  reports.push_back(not_numbers);

  Report text = small_report();
  text.title = text.score.signature = text.dev = text.baseline = nasty;
  text.departures = text.notes = {nasty, ""};
  text.failures = {{nasty, nasty, {nasty, "```"}}, {"", "", {}}};
  for (auto& row : text.rows) {
    row.group += nasty;
    row.name = row.changes = nasty;
    for (auto& run : row.runs) run.state += run.state == finished ? "" : nasty;
  }
  reports.push_back(text);

  reports.push_back(report_with_tests());
  reports.push_back(report_with_claims());
  Report only_published;
  only_published.published = {{nasty, nasty, no_number, infinity}, {}};
  reports.push_back(only_published);
  Report only_time = nothing_finished;
  only_time.sustained = 1;
  reports.push_back(only_time);
  Report with_target = report_with_tests();
  with_target.target = 25;
  reports.push_back(with_target);
  not_numbers.target = no_number;
  not_numbers.claims = {{nasty, nasty, not_numbers.rows[0].name, not_numbers.rows[1].name, Direction::better,
                         no_number, eval::Comparison{no_number, no_number, infinity}},
                        {"", "", nasty, "", Direction::equal, infinity, {}}};
  reports.push_back(not_numbers);

  Report large;
  large.baseline = "row 0";
  for (int i = 0; i < 100; ++i) {
    Row row{std::string(1, static_cast<char>('A' + i % 7)),
            "row " + std::to_string(i),
            "",
            1'000'000,
            {},
            {},
            {},
            {}};
    row.runs = {finished_run(1, 5, 20)};
    for (int step = 0; step < 3000; ++step) row.runs[0].curve.push_back({step, 5 + 1000.0 / (step + 1)});
    large.rows.push_back(row);
  }
  reports.push_back(large);
  return reports;
}

/// How often `part` occurs.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace transformer::test

#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/report/sample.h"
#include "transformer/report/p_values.h"

using namespace transformer::test;

namespace {

const std::string columns =
    "group,row,changes,baseline,parameters,seed,state,steps,seconds,flops,perplexity,bleu,bleu_interval_mean,"
    "bleu_interval_half_width,bleu_difference,bleu_p_value,bleu_seed_p_value,bleu_together_p_value,"
    "bleu_holm_p_value,paper_perplexity,paper_bleu,paper_parameters_millions\n";

}  // namespace

TEST_CASE("CSV of a small report") {
  const auto report = small_report();
  const auto p_values = score_p_values(report)[1];
  const auto chance = fmt::format("{},{},", p_values.seeds.value(), p_values.together.value());
  CHECK(to_csv(report) ==
        columns +
            ",base,,base,65012345,1,finished,1000,4980,3.3e+18,5,25,25.25,0.5,,,,,,4.92,25.8,65\n"
            ",base,,base,65012345,2,finished,1000,4980,3.3e+18,5.2,25.5,25.25,0.5,,,,,,4.92,25.8,65\n"
            "A,heads 1,\"h 1, d_k 512\",base,65012345,1,finished,1000,4980,3.3e+18,5.5,24.5,24.5,0.25,-0.75,"
            "0.012," +
            chance +
            ",5.29,24.9,\n"
            "E,learned,positions learned,base,65500000,1,waiting,,,,,,,,,,,,,4.92,25.7,\n");
}

TEST_CASE("CSV compares nothing with a baseline of another dev set") {
  auto report = small_report();
  report.rows[1].against_baseline = {};
  CHECK_THAT(to_csv(report), ContainsSubstring(",24.5,24.5,0.25,,,,,,5.29,24.9,\n"));
}

TEST_CASE("CSV of test sets and published systems") {
  auto report = report_with_tests();
  report.rows.resize(1);
  report.rows[0].runs.resize(1);
  report.published.resize(1);
  CHECK(to_csv(report) ==
        columns.substr(0, columns.size() - 1) +
            ",test_bleu_13a,test_bleu_paper,seconds_times_flops,published_bleu,published_flops\n"
            ",base,,base,65012345,1,finished,1000,4980,3.3e+18,5,25,25.25,0.5,,,,,,4.92,25.8,65,26.5,27.25,"
            "9960000000000000,,\n"
            "A,GNMT + RL,,base,,,published,,,,,,,,,,,,,,,,,,,39.92,1.4e+20\n");
}

TEST_CASE("CSV of a target") {
  auto report = small_report();
  report.rows.resize(1);
  report.rows[0].runs.resize(1);
  report.rows[0].runs.push_back(report.rows[0].runs[0]);
  report.rows[0].runs[1].score = 26;
  report.target = 24.5;
  CHECK_THAT(to_csv(report),
             ContainsSubstring(columns.substr(0, columns.size() - 1) + ",target,target_p_value\n"));
  // Half of SciPy's ttest_1samp([25, 26], 24.5): of one degree of freedom, 0.5 - atan(2) / π.
  CHECK_THAT(to_csv(report), ContainsSubstring(",65,24.5,0.147583617"));
}

TEST_CASE("CSV has no formulas: a name or a state that looks like one is text, a number below zero stays") {
  auto report = small_report();
  report.rows.resize(1);
  report.rows[0].name = "=1+1";
  report.rows[0].changes = "-x 2";
  report.rows[0].runs = {finished_run(1, 5, -0.5)};
  report.rows[0].runs[0].state = "@now";
  CHECK_THAT(to_csv(report), ContainsSubstring(",'=1+1,'-x 2,"));
  CHECK_THAT(to_csv(report), ContainsSubstring(",'@now,"));
  CHECK_THAT(to_csv(report), ContainsSubstring(",5,-0.5,"));
}

TEST_CASE("CSV keeps every digit") {
  auto report = small_report();
  report.rows.resize(1);
  report.rows[0].runs = {finished_run(1, 1.0 / 3, 0.1 + 0.2)};
  CHECK_THAT(to_csv(report), ContainsSubstring(",0.3333333333333333,0.30000000000000004,"));
}

TEST_CASE("CSV of nothing, of a row without runs, and of what is no number") {
  CHECK_THAT(to_csv({}), Catch::Matchers::StartsWith("group,row,changes,baseline,parameters,seed,state,"));
  auto report = small_report();
  report.rows.erase(report.rows.begin(), report.rows.begin() + 2);
  report.rows[0].runs.clear();
  CHECK(to_csv(report) == columns + "E,learned,positions learned,base,65500000,,,,,,,,,,,,,,,4.92,25.7,\n");
  report.rows[0].runs = {finished_run(1, infinity, -no_number)};
  CHECK_THAT(to_csv(report), ContainsSubstring(",inf,nan,"));
}

TEST_CASE("CSV has the same number of fields in each line, whatever the texts") {
  for (const auto& report : odd_reports()) {
    bool quoted = false;
    std::size_t fields = 1, expected = 0;
    for (const char c : to_csv(report)) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) ++fields;
      if (c != '\n' || quoted) continue;
      if (expected == 0) expected = fields;
      CHECK(fields == expected);
      fields = 1;
    }
    CHECK_FALSE(quoted);
  }
}

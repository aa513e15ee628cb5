#include <sstream>

#include "tests/catch.h"
#include "tests/report/sample.h"
#include "transformer/report/statistics.h"

using namespace transformer::test;

namespace {

/// For the eye, "~" is a space at which no line breaks.
std::string with_hard_spaces(std::string text) {
  for (auto at = text.find('~'); at != std::string::npos; at = text.find('~')) text.replace(at, 1, "\u00a0");
  return text;
}

}  // namespace

TEST_CASE("Markdown of a small report") {
  const std::string expected = with_hard_spaces(R"(# Table 3

Dev set: `dev`

BLEU: `nrefs:1|tok:13a`

## Compared with the paper

| Group | Row | Parameters (10⁶) | In the paper | Perplexity | In the paper | Paper finds | Here | BLEU | In the paper | Paper finds | Here |
| --- | --- | ---: | ---: | ---: | ---: | --- | --- | ---: | ---: | --- | --- |
| | base | 65.0 | 65 | 5.10 ± 0.14 (2) | 4.92 | – | – | 25.25 ± 0.35 (2) | 25.8 | – | – |
| A | heads 1 | 65.0 | – | 5.50 | 5.29 | worse (+0.37) | not decided (+0.40, seeds p = 0.269) | 24.50 | 24.9 | worse (−0.9) | not decided (−0.75, p = 0.333) |
| E | learned | 65.5 | – | – | 4.92 | equal | – | – | 25.7 | worse (−0.1) | – |
)");
  const std::string results = with_hard_spaces(R"(
## Results

| Group | Row | Changes | State | Steps | Time | FLOPs | Parameters (10⁶) | Perplexity | BLEU | 95 % interval | Against base | p-value |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| | base | (baseline) | finished (2 seeds) | 1~000 | 1 h 23 min | 3.3e18 | 65.0 | 5.10 ± 0.14 (2) | 25.25 ± 0.35 (2) | 24.75–25.75 | – | – |
| A | heads 1 | h 1, d_k 512 | finished | 1~000 | 1 h 23 min | 3.3e18 | 65.0 | 5.50 | 24.50 | 24.25–24.75 | −0.75 | p = 0.333 (sentences p = 0.012, seeds p = 0.333) |
| E | learned | positions learned | waiting | – | – | – | 65.5 | – | – | – | – | – |
)");
  const std::string end = R"(
<details>
<summary>Scores by seed</summary>

| Row | Seed 1 | Seed 2 |
| --- | ---: | ---: |
| base | 25.00 (5.00) | 25.50 (5.20) |
| heads 1 | 24.50 (5.50) | – |
| learned | – | – |

* BLEU of the dev set after each finished training, and in brackets the perplexity.

</details>

## Notes

* Beam 4.

<details>
<summary>Departures from the paper (1)</summary>

* 1000 updates.

</details>
)";
  const std::string text = to_markdown(small_report());
  CHECK(text.substr(0, expected.size()) == expected);
  CHECK_THAT(text, ContainsSubstring(results));
  CHECK(text.substr(text.size() - std::min(text.size(), end.size())) == end);
  CHECK_THAT(text, ContainsSubstring(
                       "* Perplexity: 0 agree, 0 opposite, 1 not decided; 1 of 1 have the paper's sign.\n"
                       "* BLEU: 0 agree, 0 opposite, 1 not decided; 1 of 1 have the paper's sign.\n"));
  CHECK_THAT(text,
             ContainsSubstring(
                 "one standard deviation of BLEU over seeds for all rows: 0.35, pooled over the rows that "
                 "have several seeds (degrees of freedom: 1). Not pooled are rows that learnt next to "
                 "nothing, with less than a tenth"));
  CHECK_THAT(text,
             ContainsSubstring("of its logarithm over seeds for all rows: 0.0277, pooled over the rows"));
  CHECK_THAT(text, !ContainsSubstring("Holm"));
}

TEST_CASE("Markdown explains the seeds' p-value where one is printed") {
  auto report = small_report();
  CHECK_THAT(to_markdown(report), ContainsSubstring("seeds p"));
  CHECK_THAT(to_markdown(report), ContainsSubstring("“Seeds p”"));
  report.rows[1].against_baseline = {};
  CHECK_THAT(to_markdown(report), !ContainsSubstring("“Seeds p”"));
  CHECK_THAT(to_markdown(report), !ContainsSubstring("two-sided"));
}

TEST_CASE("Markdown corrects p-values for the number of comparisons, and tests that variances are equal") {
  auto report = small_report();
  report.rows[2].runs = {finished_run(1, 5.0, 25.0), finished_run(2, 5.1, 24.9)};
  report.rows[2].against_baseline = transformer::eval::Comparison{-0.3, 0.3, 0.1};
  const auto text = to_markdown(report);
  CHECK_THAT(text,
             ContainsSubstring("(degrees of freedom: 2; Bartlett's test of equal variances: p = 0.259)."));
  CHECK_THAT(text,
             ContainsSubstring("“Holm p” is corrected for the 2 rows that are compared: 0 have p &lt; 0.05"));
  report.rows[2].runs[1].score = 25.001;
  CHECK_THAT(to_markdown(report),
             ContainsSubstring("p = 0.007). The rows' variances differ, so that p is too low for"));
}

TEST_CASE("Markdown of claims") {
  const std::string text = to_markdown(report_with_claims());
  // 12.706 · 0.3536 · √1.5 of the seeds and 0.5 of the sentences: 5.52.
  CHECK_THAT(text, ContainsSubstring(R"(
## Claims

| Claim | Verdict | Said in | Row | Against | Expected | BLEU | 95 % interval | p-value |
| --- | --- | --- | --- | --- | --- | ---: | ---: | ---: |
| One head averages. | not decided | 3.2.2 | heads 1 | base | worse | −0.75 | −6.27 to +4.77 | p = 0.348 (sentences p = 0.012, seeds p = 0.333) |
| Learned \| as good | – | – | learned | base | equal within 1 | – | – | – |

)"));
  CHECK_THAT(text, ContainsSubstring("Of 2 claims 0 are held, 0 are not held, 1 are not decided, and 1 wait "
                                     "for runs, or their rows have no dev set in common."));
  CHECK_THAT(text, ContainsSubstring("standard deviation of BLEU over seeds, 0.35, pooled over"));
  auto one_seed = report_with_claims();
  one_seed.rows[0].runs.pop_back();
  const std::string alone = to_markdown(one_seed);
  CHECK_THAT(alone, ContainsSubstring("| −0.75 | −1.25 to −0.25 | sentences p = 0.012 |"));
  CHECK_THAT(alone, ContainsSubstring("| One head averages. | not decided |"));
  CHECK_THAT(alone, ContainsSubstring("count the dev set's sentences alone"));
  CHECK_THAT(to_markdown(small_report()), !ContainsSubstring("Claims"));
}

TEST_CASE("Markdown of test sets and published systems, group by group") {
  const std::string text = to_markdown(report_with_tests());
  CHECK_THAT(text, ContainsSubstring(R"(
## BLEU and training cost

| Group | System | State | Test set | BLEU (13a) | BLEU (paper) | BLEU (published) | FLOPs | Time × FLOP/s | FLOPs (published) |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
| | ByteNet | published | – | – | – | 23.75 | – | – | – |
| | base | finished (2 seeds) | wmt14/newstest2014 | 26.50 ± 0.00 (2) | 27.25 ± 0.00 (2) | – | 3.3e18 | 1.0e16 | – |
| A | GNMT + RL | published | – | – | – | 39.92 | – | – | 1.4e20 |
| A | heads 1 | finished | wmt14/newstest2014 | 38.00 | – | – | 3.3e18 | 1.0e16 | – |
| E | learned | waiting | wmt14/newstest2014 | – | – | – | – | – | – |
| F | MoE | published | – | – | – | – | – | – | 1.0e20 |

)"));
  CHECK_THAT(text, ContainsSubstring("under nrefs:1\\|tok:paper, whose rules are for German alone."));
  CHECK_THAT(text, ContainsSubstring("times 2.0e12 FLOP/s."));
  CHECK_THAT(to_markdown(small_report()), !ContainsSubstring("training cost"));
}

TEST_CASE("Markdown of a target") {
  auto report = small_report();
  report.target = 25;
  const auto text = to_markdown(report);
  CHECK_THAT(text, ContainsSubstring(" | Against base | p-value | Above 25.00 |\n"));
  CHECK_THAT(text, ContainsSubstring(" | 24.75–25.75 | – | – | p = 0.250 |\n"));  // t = 1, one degree
  CHECK_THAT(text, ContainsSubstring("seeds p = 0.333) | – |\n"));
  CHECK_THAT(text, ContainsSubstring("a mean as high where the true one is 25.00"));
}

TEST_CASE("Markdown of when rows reach the baseline's end") {
  auto report = small_report();
  report.reach_base = true;
  report.rows[1].runs = {finished_run(1, 4.6, 25)};
  const auto text = to_markdown(report);
  CHECK_THAT(text, ContainsSubstring(" | p-value | Updates to base | Time to base |\n"));
  CHECK_THAT(text, ContainsSubstring(with_hard_spaces(" | – | – | 1~000 | 1 h 23 min |\n")));
  CHECK_THAT(text, ContainsSubstring(with_hard_spaces(" | 750 | 1 h 2 min |\n")));  // 4980 s · 3/4
  CHECK_THAT(text, ContainsSubstring(" | – | – |\n"));
  CHECK_THAT(text, ContainsSubstring("of at most that of base after its last update"));
}

TEST_CASE("Markdown without letters, baseline and paper has fewer columns") {
  auto report = small_report();
  report.baseline.clear();
  for (auto& row : report.rows) {
    row.group.clear();
    row.paper = {};
  }
  const std::string text = to_markdown(report);
  CHECK_THAT(text, ContainsSubstring("| Row | Changes | State |"));
  CHECK_THAT(text, !ContainsSubstring("Against"));
  CHECK_THAT(text, !ContainsSubstring("Compared with the paper"));
}

TEST_CASE("Markdown names the failures, and a log cannot end its block") {
  auto report = small_report();
  report.failures = {{"learned, seed 1", "no space", {"step 1", "```", "\x1b[0m"}}};
  CHECK_THAT(to_markdown(report), ContainsSubstring("\n## Failures\n\n### learned, seed 1\n\nno space\n\n"
                                                    "````\nstep 1\n```\n\uFFFD[0m\n````\n"));
}

TEST_CASE("Markdown of nothing") {
  CHECK(to_markdown({}) == "# Report\n\n## Results\n\nThere are no rows.\n");
}

TEST_CASE("Markdown's tables keep their shape, whatever the texts") {
  for (const auto& report : odd_reports()) {
    std::istringstream lines(to_markdown(report));
    std::size_t expected = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line[0] != '|') {
        expected = 0;
        continue;
      }
      const std::size_t bars = count(line, "|") - count(line, "\\|");
      if (expected == 0) expected = bars;
      INFO(line);
      CHECK(bars == expected);
    }
  }
}

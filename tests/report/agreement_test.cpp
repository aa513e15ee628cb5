#include "transformer/report/agreement.h"

#include "tests/catch.h"
#include "tests/report/sample.h"
#include "transformer/report/p_values.h"

using namespace transformer::test;

namespace {

const Score kBleu{.id = "bleu", .title = "BLEU"};

/// A row of one finished run.
Row row_of(double perplexity, double bleu, const PaperFigures& paper) {
  return {"", "row", "", 1, {finished_run(1, perplexity, bleu)}, paper, {}, {}};
}

/// A report of a baseline and a row.
Report report_of(Row base, const Row& row) {
  Report report;
  report.baseline = base.name = "base";
  report.rows = {base, row};
  return report;
}

std::optional<Verdict> score_verdict_of(const Row& row, const Row& base) {
  const auto report = report_of(base, row);
  return score_verdict(report, report.rows[1]);
}

std::optional<Verdict> perplexity_verdict_of(const Row& row, const Row& base) {
  const auto report = report_of(base, row);
  return perplexity_verdict(report, report.rows[1]);
}

}  // namespace

TEST_CASE("directions in the paper: high BLEU and low perplexity are good") {
  const auto base = row_of(5, 25, {4.92, 25.8, {}});
  const auto worse = row_of(5, 25, {5.29, 24.9, {}});
  const auto better = row_of(5, 25, {4.33, 26.4, {}});
  const auto equal = row_of(5, 25, {4.92, 25.8, {}});
  CHECK(paper_score_direction(kBleu, worse, base) == Direction::worse);
  CHECK(paper_score_direction(kBleu, better, base) == Direction::better);
  CHECK(paper_score_direction(kBleu, equal, base) == Direction::equal);
  CHECK(paper_perplexity_direction(worse, base) == Direction::worse);
  CHECK(paper_perplexity_direction(better, base) == Direction::better);
  CHECK(paper_perplexity_direction(equal, base) == Direction::equal);
  CHECK_FALSE(paper_score_direction(kBleu, row_of(5, 25, {}), base));
  CHECK_FALSE(paper_perplexity_direction(base, row_of(5, 25, {})));
  CHECK_FALSE(paper_score_direction(kBleu, row_of(5, 25, {no_number, no_number, {}}), base));
}

/// A baseline whose seeds are alike, so that differences in BLEU are judged by the luck of sentences.
Row steady_row(double perplexity, double bleu, const PaperFigures& paper) {
  auto row = row_of(perplexity, bleu, paper);
  row.runs.push_back(finished_run(2, perplexity, bleu));
  return row;
}

TEST_CASE("BLEU agrees, or is opposite, only where it is significant") {
  const auto base = steady_row(5, 25, {4.92, 25.8, {}});
  auto row = row_of(5, 24, {5.29, 24.9, {}});
  CHECK_FALSE(score_verdict_of(row, base));  // not compared yet
  // The bootstrap's p decides nothing.
  const auto verdict = [&](double difference, double half_width) {
    row.against_baseline = transformer::eval::Comparison{difference, 0.04, half_width};
    return score_verdict_of(row, base);
  };
  CHECK(verdict(-1, 0.99) == Verdict::agrees);
  CHECK(verdict(-1, 1) == Verdict::undecided);
  CHECK(verdict(1, 0.99) == Verdict::opposite);
  CHECK(verdict(1, 2) == Verdict::undecided);
  CHECK(verdict(0, 0) == Verdict::undecided);
  CHECK(verdict(-1, no_number) == Verdict::undecided);
  CHECK(verdict(no_number, 0.1) == Verdict::undecided);
  row.paper.score = 26.4;
  CHECK(verdict(1, 0.5) == Verdict::agrees);
  CHECK(verdict(-1, 0.5) == Verdict::opposite);
  row.paper.score = 24.9;
  CHECK(score_verdict_of(row, row_of(5, 25, {4.92, 25.8, {}})) == Verdict::undecided);  // of one seed each
  row.paper.score = 25.8;
  CHECK_FALSE(verdict(-1, 0.5));
  const auto report = report_of(base, row);
  CHECK_FALSE(score_verdict(report, report.rows[0]));
}

TEST_CASE("where rows have several seeds, BLEU must differ by more than these do") {
  auto base = row_of(5, 25, {4.92, 25.8, {}});
  base.runs = {finished_run(1, 5, 24.9), finished_run(2, 5, 25.0), finished_run(3, 5, 25.1)};  // 0.1
  auto row = row_of(5, 24.4, {5.29, 24.9, {}});
  row.against_baseline = transformer::eval::Comparison{-0.6, 0.001, 0.3};
  CHECK(score_verdict_of(row, base) == Verdict::agrees);  // √(0.3² + (4.303 · 0.1 · √(4/3))²) = 0.581
  row.against_baseline->half_width = 0.35;                // 0.608
  CHECK(score_verdict_of(row, base) == Verdict::undecided);
  row.runs.push_back(finished_run(2, 5, 24.4));  // pooled: 0.0816 with 3 degrees, 3.182, √(5/6): 0.422
  CHECK(score_verdict_of(row, base) == Verdict::agrees);
  row.against_baseline->half_width = 0.56;  // 0.608
  CHECK(score_verdict_of(row, base) == Verdict::undecided);
}

TEST_CASE("perplexity's sign counts where it exceeds the luck of several seeds") {
  auto base = row_of(5.0, 25, {4.92, 25.8, {}});
  const PaperFigures worse{5.29, 24.9, {}};
  CHECK(perplexity_verdict_of(row_of(5.9, 25, worse), base) == Verdict::undecided);  // of one seed each
  CHECK(perplexity_verdict_of(row_of(4.1, 25, worse), base) == Verdict::undecided);
  CHECK(perplexity_verdict_of(row_of(5.0, 25, worse), base) == Verdict::undecided);
  CHECK(perplexity_verdict_of(row_of(infinity, 25, worse), base) == Verdict::undecided);
  CHECK_FALSE(perplexity_verdict_of(row_of(5.1, 25, {4.92, {}, {}}), base));

  // The logarithms' deviation is 0.01, so that t = ln(mean ratio) / (0.01 · √(4/3)): 4.3 is needed.
  base.runs = {finished_run(1, 4.950249, 25), finished_run(2, 5.0, 25), finished_run(3, 5.050251, 25)};
  CHECK(perplexity_verdict_of(row_of(5.2, 25, worse), base) == Verdict::undecided);
  CHECK(perplexity_verdict_of(row_of(5.3, 25, worse), base) == Verdict::agrees);
  CHECK(perplexity_verdict_of(row_of(4.8, 25, worse), base) == Verdict::undecided);
  CHECK(perplexity_verdict_of(row_of(4.7, 25, worse), base) == Verdict::opposite);
  CHECK(perplexity_difference(row_of(5.3, 25, worse), base).value() == Approx(0.29983));

  base.runs.clear();
  CHECK_FALSE(perplexity_verdict_of(row_of(5.3, 25, worse), base));
  Report alone;
  alone.rows = {row_of(5.3, 25, worse)};
  CHECK_FALSE(perplexity_verdict(alone, alone.rows[0]));
}

TEST_CASE("what is of another dev set, or of other subwords, has no verdict and no part in a correlation") {
  auto base = row_of(5.0, 25, {4.92, 25.8, {}});
  base.runs.push_back(finished_run(2, 5.01, 25.01));
  auto report = report_of(base, row_of(6, 20, {5.29, 24.9, {}}));
  auto& row = report.rows[1];
  row.against_baseline = transformer::eval::Comparison{-5, 0.001, 0.3};
  CHECK(score_verdict(report, row) == Verdict::agrees);
  CHECK(perplexity_verdict(report, row) == Verdict::agrees);
  CHECK(score_p_values(report)[1].seeds);
  CHECK(score_agreement(report).rows == 2);
  CHECK(perplexity_agreement(report).rows == 2);

  row.against_baseline = {};
  CHECK_FALSE(score_p_values(report)[1].seeds);
  CHECK(score_agreement(report).rows == 1);
  row.same_subwords = false;
  CHECK_FALSE(perplexity_difference(row, report.rows[0]));
  CHECK_FALSE(perplexity_seed_p_value(report, row));
  CHECK_FALSE(perplexity_verdict(report, row));
  CHECK(perplexity_agreement(report).rows == 1);
}

TEST_CASE("agreement over all rows: verdicts, signs and the correlation of the columns") {
  struct Known {
    double here, paper, half_width;
  };
  Report report = report_of(steady_row(5, 33, {5, 25.8, {}}), row_of(5, 31, {5, 24.9, {}}));
  report.rows.pop_back();
  for (const auto& [here, paper, half_width] :
       {Known{31, 24.9, 1}, Known{32.5, 25.5, 0.6}, Known{33.5, 25.8, 0.1}, Known{33.2, 25.4, 0.1},
        Known{33.1, 25.1, 0.3}, Known{30, no_number, 1}}) {
    auto row = row_of(5, here, {5, paper, {}});
    row.against_baseline = transformer::eval::Comparison{here - 33, 0.04, half_width};
    report.rows.push_back(row);
  }
  const auto found = score_agreement(report);
  CHECK(found.agree == 1);
  CHECK(found.opposite == 1);
  CHECK(found.undecided == 2);
  CHECK(found.same_sign == 2);
  CHECK(found.rows == 6);
  CHECK(found.correlation.value() == Approx(0.46381682852195877));
  REQUIRE(found.interval);
  CHECK(found.interval->low < 0.1);
  CHECK(found.interval->high > 0.9);
  CHECK(found.interval->high <= 1);

  const auto perplexity = perplexity_agreement(report);  // all are equal
  CHECK(perplexity.agree + perplexity.opposite + perplexity.undecided == 0);
  CHECK_FALSE(perplexity.correlation);
  report.rows.resize(3);
  CHECK(score_agreement(report).correlation == 1);
  CHECK_FALSE(score_agreement(report).interval);
  CHECK(score_agreement({}).rows == 0);
}

TEST_CASE(
    "the interval of the correlation holds what independent columns have, and not what equal ones lack") {
  Report report = report_of(row_of(5, 20, {5, 20, {}}), {});
  report.rows.pop_back();
  for (int i = 1; i < 18; ++i) {
    report.rows.push_back(row_of(5, 20 + i, {5, 20.0 + i, {}}));
    report.rows.back().against_baseline = transformer::eval::Comparison{static_cast<double>(i), 0.04, 0.5};
  }
  const auto equal = score_agreement(report);
  CHECK(equal.correlation == 1);
  CHECK(equal.interval->low == Approx(1));
  for (int i = 0; i < 18; ++i) report.rows[static_cast<std::size_t>(i)].paper.score = (i * 7) % 18;
  const auto mixed = score_agreement(report);
  CHECK(mixed.interval->low < *mixed.correlation);
  CHECK(mixed.interval->low < 0);
  CHECK(mixed.interval->high > *mixed.correlation);
}

TEST_CASE("where less is better, a row that the paper finds worse agrees with a higher score") {
  auto base = steady_row(5, 25, {{}, 25.8, {}}), row = steady_row(5, 27, {{}, 26.4, {}});
  row.against_baseline = transformer::eval::Comparison{2, 0.001, 0.1};
  auto report = report_of(base, row);
  report.score = {.id = "errors", .title = "Errors", .less_is_better = true};
  CHECK(paper_score_direction(report.score, report.rows[1], report.rows[0]) == Direction::worse);
  CHECK(score_verdict(report, report.rows[1]) == Verdict::agrees);
  report.score.less_is_better = false;
  CHECK(paper_score_direction(report.score, report.rows[1], report.rows[0]) == Direction::better);
  CHECK(score_verdict(report, report.rows[1]) == Verdict::agrees);
  report.rows[1].paper.score = 25;
  CHECK(score_verdict(report, report.rows[1]) == Verdict::opposite);
}

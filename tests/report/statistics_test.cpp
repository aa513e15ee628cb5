#include "transformer/report/statistics.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/report/sample.h"

using namespace transformer::test;

namespace {

/// A row of one finished run.
Row row_of(double perplexity, double bleu, const PaperFigures& paper) {
  return {"", "row", "", 1, {finished_run(1, perplexity, bleu)}, paper, {}, {}};
}

}  // namespace

TEST_CASE("mean and standard deviation of a sample") {
  const auto eight = summarize(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(eight.count == 8);
  CHECK(eight.mean == 5);
  CHECK(eight.deviation.value() == Approx(std::sqrt(32.0 / 7)));
  CHECK(summarize(std::vector<double>{1, 3}).deviation.value() == Approx(std::sqrt(2.0)));
  CHECK(summarize(std::vector<double>{3}).mean == 3);
  CHECK_FALSE(summarize(std::vector<double>{3}).deviation);
  CHECK(summarize({}).count == 0);
  CHECK(summarize({}).mean == 0);
}

TEST_CASE("only finished runs that have a figure count") {
  auto row = small_report().rows[0];
  CHECK(perplexity_of(row).mean == Approx(5.1));
  CHECK(bleu_of(row).mean == Approx(25.25));
  CHECK(bleu_of(row).deviation.value() == Approx(0.5 / std::sqrt(2.0)));
  row.runs[1].bleu = {};
  CHECK(bleu_of(row).count == 1);
  CHECK(perplexity_of(row).count == 2);
  row.runs[1].state = "failed: no space";
  CHECK(perplexity_of(row).count == 1);
  row.runs[0].seconds = 0;
  CHECK(seconds_of(row).count == 0);
  CHECK(flops_of(row).mean == 3.3e18);
}

TEST_CASE("the baseline is found by its name") {
  auto report = small_report();
  CHECK(baseline_of(report) == &report.rows[0]);
  report.baseline = "heads 1";
  CHECK(baseline_of(report) == &report.rows[1]);
  report.baseline = "another";
  CHECK(baseline_of(report) == nullptr);
  report.baseline = report.rows[0].name = "";
  CHECK(baseline_of(report) == nullptr);
}

TEST_CASE("directions in the paper: high BLEU and low perplexity are good") {
  const auto base = row_of(5, 25, {4.92, 25.8, {}});
  const auto worse = row_of(5, 25, {5.29, 24.9, {}});
  const auto better = row_of(5, 25, {4.33, 26.4, {}});
  const auto equal = row_of(5, 25, {4.92, 25.8, {}});
  CHECK(paper_bleu_direction(worse, base) == Direction::worse);
  CHECK(paper_bleu_direction(better, base) == Direction::better);
  CHECK(paper_bleu_direction(equal, base) == Direction::equal);
  CHECK(paper_perplexity_direction(worse, base) == Direction::worse);
  CHECK(paper_perplexity_direction(better, base) == Direction::better);
  CHECK(paper_perplexity_direction(equal, base) == Direction::equal);
  CHECK_FALSE(paper_bleu_direction(row_of(5, 25, {}), base));
  CHECK_FALSE(paper_perplexity_direction(base, row_of(5, 25, {})));
  CHECK_FALSE(paper_bleu_direction(row_of(5, 25, {no_number, no_number, {}}), base));
}

TEST_CASE("BLEU agrees, or is opposite, only where it is significant") {
  const auto base = row_of(5, 25, {4.92, 25.8, {}});
  auto row = row_of(5, 24, {5.29, 24.9, {}});
  CHECK_FALSE(bleu_verdict(row, base));  // not compared yet
  const auto verdict = [&](double difference, double p_value) {
    row.against_baseline = transformer::eval::Comparison{difference, p_value};
    return bleu_verdict(row, base);
  };
  CHECK(verdict(-1, 0.049) == Verdict::agrees);
  CHECK(verdict(-1, 0.05) == Verdict::undecided);
  CHECK(verdict(1, 0.049) == Verdict::opposite);
  CHECK(verdict(1, 0.5) == Verdict::undecided);
  CHECK(verdict(0, 0.001) == Verdict::undecided);
  CHECK(verdict(-1, no_number) == Verdict::undecided);
  CHECK(verdict(no_number, 0.001) == Verdict::undecided);
  row.paper.bleu = 26.4;
  CHECK(verdict(1, 0.01) == Verdict::agrees);
  CHECK(verdict(-1, 0.01) == Verdict::opposite);
  row.paper.bleu = 25.8;
  CHECK_FALSE(verdict(-1, 0.01));
  CHECK_FALSE(bleu_verdict(base, base));
}

TEST_CASE("perplexity's sign counts unless the baseline's seeds differ as much") {
  auto base = row_of(5.0, 25, {4.92, 25.8, {}});
  const PaperFigures worse{5.29, 24.9, {}};
  CHECK(perplexity_verdict(row_of(5.1, 25, worse), base) == Verdict::agrees);
  CHECK(perplexity_verdict(row_of(4.9, 25, worse), base) == Verdict::opposite);
  CHECK(perplexity_verdict(row_of(5.0, 25, worse), base) == Verdict::undecided);
  CHECK(perplexity_verdict(row_of(infinity, 25, worse), base) == Verdict::undecided);
  CHECK_FALSE(perplexity_verdict(row_of(5.1, 25, {4.92, {}, {}}), base));
  CHECK_FALSE(perplexity_verdict(base, base));

  base.runs.push_back(finished_run(2, 5.2, 25));  // mean 5.1, deviation 0.1414
  CHECK(perplexity_verdict(row_of(5.2, 25, worse), base) == Verdict::undecided);
  CHECK(perplexity_verdict(row_of(5.0, 25, worse), base) == Verdict::undecided);
  CHECK(perplexity_verdict(row_of(5.3, 25, worse), base) == Verdict::agrees);
  CHECK(perplexity_verdict(row_of(4.9, 25, worse), base) == Verdict::opposite);
  CHECK(perplexity_difference(row_of(5.3, 25, worse), base).value() == Approx(0.2));

  base.runs.clear();
  CHECK_FALSE(perplexity_verdict(row_of(5.3, 25, worse), base));
}

#include "transformer/report/p_values.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/report/sample.h"
#include "transformer/report/agreement.h"
#include "transformer/report/claims.h"

using namespace transformer::test;
using transformer::eval::Comparison;

namespace {

std::vector<PValues> with(const std::vector<std::optional<double>>& together) {
  std::vector<PValues> all;
  for (const auto& p_value : together) all.push_back({.together = p_value});
  correct_by_holm(all);
  return all;
}

/// A baseline of three seeds, 0.1 apart, and rows of one seed with these differences, each with a half width
/// of 0.3.
Report report_of(const std::vector<double>& differences) {
  Report report;
  report.baseline = "base";
  report.rows = {{"", "base", "", 1, {}, {5, 25, {}}, {}, {}}};
  for (int seed = 1; seed <= 3; ++seed)
    report.rows[0].runs.push_back(finished_run(seed, 4.9 + 0.05 * seed, 24.8 + 0.1 * seed));
  for (const double difference : differences) {
    report.rows.push_back({"", "row", "", 1, {finished_run(1, 6, 25 + difference)}, {6, 24, {}}, {}, {}});
    report.rows.back().against_baseline = Comparison{difference, 0.001, 0.3};
  }
  return report;
}

}  // namespace

// The root of √((z(p) / z(0.05) · s)² + (t(p) · e)²) = d, with z and t of SciPy's norm and t, found by its
// brentq.
TEST_CASE("the p-value of sentences and seeds together is where their interval touches the bound") {
  CHECK(p_value_of_both(0.6, 0.3, {0.1 * std::sqrt(4.0 / 3), 2}) ==
        Approx(0.046464893784644246).epsilon(1e-7));
  CHECK(p_value_of_both(1.19, 1.2, {0.42, 20}) == Approx(0.11426025809248923).epsilon(1e-7));
  CHECK(p_value_of_both(2.0, 1.0, {0.3, 5}) == Approx(0.005369501037996468).epsilon(1e-7));
  CHECK(p_value_of_both(0.2, 1.0, {0.3, 5}) == Approx(0.7392049367760625).epsilon(1e-7));
  // One of them alone: SciPy's 2·t.sf(3, 4) and 2·norm.sf(2·1.959964).
  CHECK(p_value_of_both(0.6, 0, {0.2, 4}) == Approx(0.03994196807171883).epsilon(1e-7));
  CHECK(p_value_of_both(1.0, 0.5, {0, 4}) == Approx(8.857542695745522e-05).epsilon(1e-7));
}

TEST_CASE("the p-value of both at its ends") {
  CHECK(p_value_of_both(0, 0.3, {0.1, 2}) == 1);
  CHECK(p_value_of_both(0, 0, {0, 2}) == 1);
  CHECK(p_value_of_both(1, 0, {0, 2}) == Approx(2e-9).epsilon(0.02));
  CHECK(p_value_of_both(1, infinity, {0.1, 2}) > 0.99);
  CHECK(std::isnan(p_value_of_both(no_number, 0.3, {0.1, 2})));
  CHECK(std::isnan(p_value_of_both(1, no_number, {0.1, 2})));
}

// statsmodels' multipletests(…, method="holm")
TEST_CASE("Holm's correction") {
  const auto all = with({0.01, 0.04, {}, 0.03, 0.005, 0.5, no_number, 0.2});
  CHECK(all[0].holm.value() == Approx(0.05));
  CHECK(all[1].holm.value() == Approx(0.12));
  CHECK_FALSE(all[2].holm);
  CHECK(all[3].holm.value() == Approx(0.12));
  CHECK(all[4].holm.value() == Approx(0.03));
  CHECK(all[5].holm.value() == Approx(0.5));
  CHECK_FALSE(all[6].holm);
  CHECK(all[7].holm.value() == Approx(0.4));
  const auto counts = count_significant(all);
  CHECK(counts.compared == 6);
  CHECK(counts.significant == 4);
  CHECK(counts.remaining == 1);
  CHECK(with({0.4, 0.9})[1].holm == 0.9);
  CHECK(with({0.7, 0.9})[0].holm == 1);
  CHECK_FALSE(with({0.04})[0].holm);  // of one comparison there is nothing to correct
  CHECK(with({}).empty());
}

TEST_CASE("a row's p-values: those that verdicts rest on are corrected for all rows") {
  const auto report = report_of({-0.6, -2, -0.1});
  const auto all = score_p_values(report);
  REQUIRE(all.size() == 4);
  CHECK_FALSE(all[0].together);  // the baseline
  CHECK(all[1].sentences == 0.001);
  CHECK(all[1].seeds.value() == Approx(0.0351).margin(1e-3));
  CHECK(all[1].together.value() == Approx(0.046464893784644246).epsilon(1e-6));
  CHECK(all[1].holm.value() == Approx(2 * 0.046464893784644246).epsilon(1e-6));
  CHECK(all[2].holm.value() == Approx(3 * *all[2].together));
  CHECK(&of_row(all, report, report.rows[2]) == &all[2]);

  // Both agree with the paper, and one is left.
  CHECK(score_verdict(report, report.rows[1]) == Verdict::agrees);
  const auto agreement = score_agreement(report);
  CHECK(agreement.agree == 2);
  CHECK(agreement.agree_by_holm == 1);
  CHECK(agreement.opposite_by_holm == 0);

  auto alone = report;
  alone.rows[0].runs.resize(1);
  CHECK(score_p_values(alone)[1].together == 0.001);
  CHECK(score_p_values(alone)[1].holm.value() == Approx(0.003));
  alone.rows[1].against_baseline = {};
  CHECK_FALSE(score_p_values(alone)[1].sentences);
  alone.baseline.clear();
  CHECK_FALSE(score_p_values(alone)[2].together);
}

TEST_CASE("perplexity's p-values are those of seeds") {
  const auto report = report_of({-1, -1});
  const auto all = perplexity_p_values(report);
  CHECK_FALSE(all[0].seeds);
  CHECK(all[1].seeds == perplexity_seed_p_value(report, report.rows[1]));
  CHECK(all[1].together == all[1].seeds);
  CHECK(all[1].holm.value() == Approx(2 * *all[1].seeds));
  CHECK_FALSE(all[1].sentences);
}

TEST_CASE("a claim's p-value is below 0.05 where there is a verdict") {
  auto report = report_of({-0.6});
  report.rows[1].name = "other";
  const auto p_value = [&](Direction expected, double difference, double within) {
    report.claims = {{"", "", "other", "base", expected, within, Comparison{difference, 0.5, 0.3}}};
    return claim_p_values(report)[0].together.value();
  };
  CHECK(p_value(Direction::worse, -0.6, 0) == Approx(0.046464893784644246).epsilon(1e-6));
  CHECK(p_value(Direction::better, -0.6, 0) == Approx(0.046464893784644246).epsilon(1e-6));
  CHECK(p_value(Direction::equal, 0.4, 1) == Approx(0.046464893784644246).epsilon(1e-6));
  CHECK(p_value(Direction::equal, -1.6, 1) == Approx(0.046464893784644246).epsilon(1e-6));
  CHECK(p_value(Direction::equal, -0.9, 1) > 0.05);
  for (const double difference : {-1.7, -1.5, -0.5, 0.3, 0.5, 1.4, 1.6}) {
    const bool significant = p_value(Direction::equal, difference, 1) < 0.05;
    CHECK(significant == (evidence_of(report, report.claims[0])->finding != Finding::undecided));
  }
  report.rows[0].runs.resize(1);
  CHECK_FALSE(claim_p_values(report)[0].together);  // the bootstrap's is of a difference from 0
  report.claims[0].row = "nowhere";
  CHECK_FALSE(claim_p_values(report)[0].sentences);
}

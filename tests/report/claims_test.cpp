#include "transformer/report/claims.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/report/sample.h"

using namespace transformer::test;
using transformer::eval::Comparison;

namespace {

/// A base of 25, and another row.
Report report_of(const std::vector<double>& base, const std::vector<double>& other) {
  Report report;
  report.baseline = "base";
  const auto row = [](const std::string& name, const std::vector<double>& scores) {
    Row row{"", name, "", 1, {}, {}, {}, {}};
    for (std::size_t i = 0; i < scores.size(); ++i)
      row.runs.push_back(finished_run(static_cast<std::int64_t>(i) + 1, 5, scores[i]));
    return row;
  };
  report.rows = {row("base", base), row("other", other)};
  return report;
}

Claim claim_of(Direction expected, double within, std::optional<Comparison> comparison) {
  return {"", "", "other", "base", expected, within, comparison};
}

/// Seeds change nothing: the interval is that of the sentences.
Finding finding(Direction expected, double difference, double half_width, double within = 0) {
  const auto report = report_of({25, 25}, {25 + difference});
  return evidence_of(report, claim_of(expected, within, Comparison{difference, 0.5, half_width}))
      .value()
      .finding;
}

}  // namespace

TEST_CASE("a claim is held if the whole interval lies where it says") {
  CHECK(finding(Direction::worse, -1, 0.9) == Finding::held);
  CHECK(finding(Direction::worse, -1, 1.1) == Finding::undecided);
  CHECK(finding(Direction::worse, 1, 1.1) == Finding::undecided);
  CHECK(finding(Direction::worse, 1, 0.9) == Finding::not_held);
  CHECK(finding(Direction::better, 1, 0.9) == Finding::held);
  CHECK(finding(Direction::better, 1, 1.1) == Finding::undecided);
  CHECK(finding(Direction::better, -1, 0.9) == Finding::not_held);
  CHECK(finding(Direction::equal, 0.2, 0.25, 0.5) == Finding::held);
  CHECK(finding(Direction::equal, -0.2, 0.25, 0.5) == Finding::held);
  CHECK(finding(Direction::equal, 0.2, 0.35, 0.5) == Finding::undecided);
  CHECK(finding(Direction::equal, -0.8, 0.35, 0.5) == Finding::undecided);
  CHECK(finding(Direction::equal, -0.8, 0.25, 0.5) == Finding::not_held);
  CHECK(finding(Direction::equal, 0.8, 0.25, 0.5) == Finding::not_held);
}

TEST_CASE("a row that equals the other to the last sentence is neither worse nor better") {
  CHECK(finding(Direction::worse, 0, 0) == Finding::not_held);
  CHECK(finding(Direction::better, 0, 0) == Finding::not_held);
  CHECK(finding(Direction::equal, 0, 0, 0.5) == Finding::held);
}

TEST_CASE("rows that learnt nothing are not equal") {
  const auto equal = [](double base, double other) {
    const Comparison comparison{other - base, 1, 0.01};
    return evidence_of(report_of({base, base}, {other}), claim_of(Direction::equal, 0.5, comparison))
        ->finding;
  };
  CHECK(equal(0, 0) == Finding::undecided);
  CHECK(equal(0.3, 0.5) == Finding::undecided);
  CHECK(equal(0.3, 0.6) == Finding::held);
  CHECK(equal(0, 0.6) == Finding::not_held);
}

TEST_CASE("two rows that learnt nothing are no evidence of anything") {
  for (const auto expected : {Direction::worse, Direction::equal, Direction::better}) {
    const Comparison comparison{0, 1, 0};
    CHECK(evidence_of(report_of({0, 0}, {0, 0}), claim_of(expected, 0.5, comparison))->finding ==
          Finding::undecided);
  }
}

TEST_CASE("what is no number decides nothing") {
  for (const auto expected : {Direction::worse, Direction::equal, Direction::better}) {
    CHECK(finding(expected, no_number, 0.1, 0.5) == Finding::undecided);
    CHECK(finding(expected, -1, no_number, 0.5) == Finding::undecided);
  }
}

TEST_CASE("with several seeds the interval counts their luck, too") {
  // The pooled deviation is 0.1 with 2 degrees of freedom, for which SciPy's t is 4.302652729749462.
  const auto report = report_of({24.9, 25.0, 25.1}, {24.4});
  const auto claim = claim_of(Direction::worse, 0, Comparison{-0.6, 0.001, 0.3});
  const auto found = evidence_of(report, claim).value();
  CHECK(found.difference == -0.6);
  CHECK(found.half_width == Approx(std::hypot(0.3, 4.302652729749462 * 0.1 * std::sqrt(4.0 / 3))));
  CHECK(found.finding == Finding::held);  // 0.581
  CHECK(evidence_of(report, claim_of(Direction::worse, 0, Comparison{-0.6, 0.001, 0.35}))->finding ==
        Finding::undecided);  // 0.608
  const auto alone = evidence_of(report_of({25}, {24.4}), claim).value();
  CHECK(alone.half_width == 0.3);
  CHECK(alone.finding == Finding::undecided);  // nothing says how far seeds are apart
}

TEST_CASE("the luck of each training with the sentences is counted once") {
  const auto report = report_of({24.9, 25.0, 25.1}, {24.4});
  auto claim = claim_of(Direction::worse, 0, Comparison{-0.6, 0.001, 0.5, 0.4});
  const double seeds = 4.302652729749462 * 0.1 * std::sqrt(4.0 / 3);
  CHECK(evidence_of(report, claim)->half_width == Approx(std::hypot(0.3, seeds)));  // 0.5² - 0.4²
  claim.comparison->half_width_of_runs = 0.6;                                       // an estimate, too
  CHECK(evidence_of(report, claim)->half_width == Approx(seeds));
  CHECK(evidence_of(report_of({25}, {24.4}), claim)->half_width == 0.5);
}

TEST_CASE("a claim waits for both rows") {
  const auto report = report_of({25}, {24});
  CHECK_FALSE(evidence_of(report, claim_of(Direction::worse, 0, {})));
  auto elsewhere = claim_of(Direction::worse, 0, Comparison{-1, 0.01, 0.1});
  elsewhere.against = "nowhere";
  CHECK_FALSE(evidence_of(report, elsewhere));
}

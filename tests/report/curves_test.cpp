#include "transformer/report/curves.h"

#include "tests/catch.h"
#include "tests/report/sample.h"

using namespace transformer::test;

namespace {

std::vector<std::int64_t> steps_of(const std::vector<CurvePoint>& curve) {
  std::vector<std::int64_t> steps;
  steps.reserve(curve.size());
  for (const auto& point : curve) steps.push_back(point.step);
  return steps;
}

using Steps = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a long curve is thinned out evenly, and keeps its ends") {
  std::vector<CurvePoint> curve;
  curve.reserve(101);
  for (int i = 0; i < 101; ++i) curve.push_back({i, 1.0 + i});
  CHECK(steps_of(thin_out(curve, 5)) == Steps{0, 25, 50, 75, 100});
  CHECK(thin_out(curve, 101).size() == 101);
  CHECK(thin_out(curve, 200).size() == 101);
  CHECK(thin_out(std::vector<CurvePoint>{}, 2).empty());
}

TEST_CASE("the mean of curves is taken where all have a point") {
  const auto mean = mean_curve({{{100, 10}, {200, 8}, {300, 6}}, {{100, 20}, {300, 10}, {400, 9}}});
  REQUIRE(steps_of(mean) == Steps{100, 300});
  CHECK(mean[0].perplexity == 15);
  CHECK(mean[1].perplexity == 8);
  CHECK(mean_curve({}).empty());
  CHECK(mean_curve({{{1, 2}}, {{2, 2}}}).empty());
  CHECK(mean_curve({{{1, 2}, {1, 4}}})[0].perplexity == 4);  // evaluated again: the later one counts
}

TEST_CASE("a curve is cut where it leaves the picture") {
  // From 1000 to 10 the logarithm is halfway at 100.
  const auto parts = parts_below({{0, 1000}, {10, 10}, {20, 10}, {30, 1000}}, 100);
  REQUIRE(parts.size() == 1);
  CHECK(steps_of(parts[0]) == Steps{5, 10, 20, 25});
  CHECK(parts[0][0].perplexity == 100);
  CHECK(parts_below({{0, 1000}, {10, 900}}, 100).empty());
}

TEST_CASE("a curve is torn where a point is no number") {
  const auto parts =
      parts_below({{1, 5}, {2, no_number}, {3, 5}, {4, 4}, {5, infinity}, {6, 0}, {7, 3}}, 100);
  REQUIRE(parts.size() == 3);
  CHECK(steps_of(parts[1]) == Steps{3, 4});
  CHECK(parts_below({{1, no_number}}, 100).empty());
}

TEST_CASE("a row reaches the baseline's last perplexity at its first evaluation that is as low") {
  auto report = small_report();
  const auto& base = report.rows[0];  // ends at 5.1, averaged over seeds
  auto row = report.rows[1];
  CHECK(step_of_reaching(base, base) == 1000);
  CHECK_FALSE(step_of_reaching(base, row));  // ends at 5.5
  row.runs = {finished_run(1, 4.6, 25)};     // 9.2, 5.06, 4.6
  CHECK(step_of_reaching(base, row) == 750);
  row.runs.push_back(finished_run(2, 5.0, 25));  // 5.28 with it
  CHECK(step_of_reaching(base, row) == 1000);
  row.same_subwords = false;
  CHECK_FALSE(step_of_reaching(base, row));
  CHECK_FALSE(step_of_reaching(report.rows[2], report.rows[1]));  // without a point
}

TEST_CASE("the curves of a row are those of its finished runs, or of all that have begun") {
  auto row = small_report().rows[0];
  CHECK(curves_of(row).size() == 2);
  row.runs[1].state = "failed: no space";
  CHECK(curves_of(row).size() == 1);
  row.runs[0].state = "training";
  CHECK(curves_of(row).size() == 2);
  row.runs[0].curve.clear();
  CHECK(curves_of(row).size() == 1);
}

#include "transformer/report/run_series.h"

#include "tests/catch.h"

namespace transformer::report {
namespace {

WatchedRun a_run() {
  WatchedRun run{.name = "a", .lines = {}, .samples = {}};
  run.lines = {{.step = 1, .seconds = 10, .values = {{"loss", 3}, {"flops", 1e12}}},
               {.step = 2, .seconds = 20, .values = {{"flops", 2e12}}},
               {.step = 2, .dev = true, .seconds = 25, .values = {{"loss", 2.5}, {"flops", 2e12}}},
               {.step = 3, .seconds = 30, .values = {{"loss", 2}}}};
  return run;
}

std::vector<double> values(const std::vector<SeriesPoint>& points, double SeriesPoint::*side) {
  std::vector<double> all;
  for (const auto& point : points) all.push_back(point.*side);
  return all;
}

using Values = std::vector<double>;

TEST_CASE("a curve has the points at which its measure was taken, over updates, time or FLOPs") {
  const auto steps = series_of({a_run(), a_run()}, "loss", RunAxis::step);
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].run == 0);
  CHECK(steps[3].run == 1);
  CHECK(steps[3].dev);
  CHECK(values(steps[0].points, &SeriesPoint::x) == Values{1, 3});
  CHECK(values(steps[0].points, &SeriesPoint::y) == Values{3, 2});
  CHECK(values(steps[1].points, &SeriesPoint::x) == Values{2});
  CHECK(values(steps[1].points, &SeriesPoint::y) == Values{2.5});
  CHECK(values(series_of({a_run()}, "loss", RunAxis::time)[0].points, &SeriesPoint::x) == Values{10, 30});
  CHECK(values(series_of({a_run()}, "loss", RunAxis::flops)[0].points, &SeriesPoint::x) == Values{1e12});
  CHECK(series_of({a_run()}, "bleu", RunAxis::step)[1].points.empty());
}

// By hand: (2 · ½ + 4) / 1.5, then (2 · ¼ + 4 · ½ + 8) / 1.75.
TEST_CASE("smoothing weighs the past, and begins with the first value") {
  const auto points = smoothed({{1, 2}, {2, 4}, {3, 8}}, 0.5);
  CHECK(values(points, &SeriesPoint::x) == Values{1, 2, 3});
  CHECK(points[0].y == 2);
  CHECK(points[1].y == Approx(10.0 / 3));
  CHECK(points[2].y == Approx(6));
  CHECK(values(smoothed({{1, 2}, {2, 4}}, 0), &SeriesPoint::y) == Values{2, 4});
  for (const auto& point : smoothed({{1, 7}, {2, 7}, {3, 7}}, 0.999)) CHECK(point.y == Approx(7));
}

TEST_CASE("an axis counts in what keeps its numbers short") {
  CHECK(unit_of(RunAxis::step, 1e6).name == "updates");
  CHECK(unit_of(RunAxis::time, 100).name == "seconds of training");
  CHECK(unit_of(RunAxis::time, 121).size == 60);
  CHECK(unit_of(RunAxis::time, 1e5).size == 3600);
  CHECK(unit_of(RunAxis::flops, 3e16).size == Approx(1e15));
  CHECK(unit_of(RunAxis::flops, 3e16).name == "10¹⁵ FLOPs");
  CHECK(decimal_unit("rate", 7e-4).size == Approx(1e-6));
  CHECK(decimal_unit("rate", 7e-4).name == "10⁻⁶ rate");
  CHECK(decimal_unit("BLEU", 38).name == "BLEU");
  CHECK(decimal_unit("tokens/s", 999).size == 1);
  CHECK(decimal_unit("tokens/s", 3500).size == 1000);
  CHECK(decimal_unit("BLEU", 0).size == 1);
}

}  // namespace
}  // namespace transformer::report

#include "transformer/report/power_law.h"

#include <cmath>

#include "tests/catch.h"

namespace transformer::report {
namespace {

std::vector<Point> power(double factor, double exponent, double offset = 0) {
  std::vector<Point> points;
  for (double x = 16; x <= 4096; x *= 2) points.push_back({x, factor * std::pow(x, exponent) + offset});
  return points;
}

}  // namespace

TEST_CASE("a power is found again") {
  for (const double exponent : {0.0, 1.0, 2.0, 2.5}) {
    const auto law = fit_power_law(power(3e-6, exponent), 16, 4096);
    REQUIRE(law);
    CHECK(law->exponent == Approx(exponent).margin(1e-9));
    CHECK(law->factor == Approx(3e-6));
    CHECK(law->error == Approx(0).margin(1e-9));
    CHECK(law->points == 9);
    CHECK((*law)(100) == Approx(3e-6 * std::pow(100, exponent)));
  }
}

TEST_CASE("only the range that is named counts, and what disturbs it shows in the error") {
  // A constant cost hides the growth of small sizes.
  const auto points = power(1, 2, 20'000);
  CHECK(fit_power_law(points, 16, 4096)->exponent < 1.5);
  CHECK(fit_power_law(points, 1024, 4096)->exponent == Approx(2).margin(0.02));
  CHECK(fit_power_law(points, 1000, 1e9)->points == 3);
  // y = 1, 4, 4 over x = 1, e, e²: slope ln 2, residuals from the line 0.231, -0.462, 0.231, over
  // √(degrees · spread) = √2: ln 4 / (3 √2) · √3 = 0.5660 / √… by hand: √(0.3203 / 1 / 2)
  const auto law = fit_power_law({{1, 1}, {std::exp(1), 4}, {std::exp(2), 4}}, 0, 10);
  CHECK(law->exponent == Approx(std::log(2)));
  CHECK(law->error == Approx(std::sqrt((2 * 0.231049 * 0.231049 + 0.462098 * 0.462098) / 2)).epsilon(1e-4));
  CHECK(fit_power_law({{1, 1}, {2, 8}}, 0, 10)->error == 0);
}

TEST_CASE("one size is no growth") {
  CHECK_FALSE(fit_power_law({}, 1, 10));
  CHECK_FALSE(fit_power_law({{2, 1}, {4, 3}}, 1, 3));
  CHECK_FALSE(fit_power_law({{2, 1}, {2, 3}}, 1, 3));
}

TEST_CASE("two powers cross where they are equal, be it between the points") {
  // x² and 100 x meet at 100.
  CHECK(*crossing_of(power(1, 2), power(100, 1)) == Approx(100));
  CHECK(*crossing_of(power(1, 2), power(128, 1)) == Approx(128));
  CHECK_FALSE(crossing_of(power(1, 2), power(1e9, 1)));  // not yet
  CHECK_FALSE(crossing_of(power(1, 2), power(1, 1)));    // before
  CHECK_FALSE(crossing_of(power(100, 1), power(1, 2)));  // the other way round
  CHECK_FALSE(crossing_of({}, {}));
  // Of several crossings the last one.
  const std::vector<Point> level = {{1, 1}, {2, 1}, {4, 1}, {8, 1}};
  CHECK(*crossing_of({{1, 0.5}, {2, 2}, {4, 0.5}, {8, 2}}, level) == Approx(4 * std::sqrt(2)));
}

}  // namespace transformer::report

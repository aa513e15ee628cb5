#include "transformer/report/power_curves.h"

#include "tests/catch.h"
#include "tests/report/markup.h"

namespace transformer::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a power is a straight line, with its points, its legend and its marks") {
  const PowerPanel panel{
      .title = "Time",
      .x_label = "n",
      .y_label = "seconds",
      .curves = {{"n^2 & more", {{10, 1}, {100, 100}, {1000, 10'000}}}, {"alone", {{10, 3}}}, {"absent", {}}},
      .marks = {{100, "here"}, {1e6, "beyond"}}};
  const auto svg = power_curves_svg("Title", "Words", {panel});
  CHECK(test::fault_of(svg).empty());
  for (const auto* text :
       {"Title", "Words", "Time", "seconds", "n^2 &amp; more", "alone", "absent", "here", "beyond"})
    CHECK(svg.find(text) != std::string::npos);
  // One curve, three colours and two marks in the legend; the middle point lies in the middle of both.
  CHECK(count(svg, "<polyline") == 1 + 3 + 2);
  CHECK(count(svg, "<path") == 4);
  CHECK(count(svg, "class=\"level\"") == 1 + 2);
  const auto at = svg.find("<polyline points=\"") + 18;
  double x[3], y[3];
  REQUIRE(std::sscanf(svg.c_str() + at, "%lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2) == 6);
  CHECK(x[1] == Approx((x[0] + x[2]) / 2).margin(0.1));
  CHECK(y[1] == Approx((y[0] + y[2]) / 2).margin(0.1));
  CHECK(x[0] < x[2]);
  CHECK(y[0] > y[2]);
}

TEST_CASE("panels stand two in a line, and one without figures says so") {
  const PowerPanel empty{.title = "Nothing", .x_label = "n", .y_label = "s", .curves = {{"a", {}}}};
  const PowerPanel one{.title = "One", .x_label = "n", .y_label = "s", .curves = {{"a", {{5, 7}}}}};
  const auto svg = power_curves_svg("T", "D", {empty, one, one});
  CHECK(test::fault_of(svg).empty());
  CHECK(count(svg, "Nothing was measured.") == 1);
  CHECK(count(svg, ">One<") == 2);
  CHECK(test::fault_of(power_curves_svg("T", "D", {})).empty());
}

}  // namespace transformer::report

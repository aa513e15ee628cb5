#include "tests/catch.h"
#include "tests/report/markup.h"
#include "tests/report/sample.h"
#include "transformer/report/figures.h"

using namespace transformer::test;

TEST_CASE("learning curves as a file bring their own style and ground") {
  const std::string file = learning_curves_svg(small_report());
  CHECK(fault_of(file).empty());
  CHECK(file.find("<svg xmlns=\"http://www.w3.org/2000/svg\"") == 0);
  CHECK_THAT(file, ContainsSubstring("<style>"));
  CHECK_THAT(file, ContainsSubstring("class=\"ground\""));
  CHECK_THAT(file, ContainsSubstring("<desc id="));
  CHECK_THAT(draw_learning_curves(small_report(), Ground::page), !ContainsSubstring("<style>"));
}

TEST_CASE("learning curves have a panel for each letter, with the baseline in grey") {
  auto report = small_report();
  report.rows[2].runs = {finished_run(1, 5, 25)};
  const std::string file = learning_curves_svg(report);
  CHECK(count(file, "class=\"panel\">(A)<") == 1);
  CHECK(count(file, "class=\"panel\">(E)<") == 1);
  CHECK(count(file, ">base</text>") == 2);
  CHECK(count(file, "class=\"mean base\"") == 4);  // curve and legend, twice
  CHECK(count(file, "class=\"seed base\"") == 4);  // two seeds, twice
  CHECK(count(file, "class=\"mean c0\"") == 4);
}

TEST_CASE("learning curves without letters share a panel") {
  auto report = small_report();
  for (auto& row : report.rows) row.group.clear();
  const std::string file = learning_curves_svg(report);
  CHECK(count(file, ">updates</text>") == 1);
  CHECK(count(file, ">heads 1</text>") == 1);
}

TEST_CASE("a curve that diverges does not flatten the others") {
  auto report = small_report();
  report.rows[1].runs[0].curve = {{500, 10}, {1000, 1e6}};
  const std::string file = learning_curves_svg(report);
  CHECK_THAT(file, ContainsSubstring(">heads 1 ↑</text>"));
  CHECK_THAT(file, !ContainsSubstring(">1\u00a0000\u00a0000</text>"));
}

TEST_CASE("learning curves of thousands of points stay small") {
  const auto large = odd_reports().back();
  REQUIRE(large.rows[0].runs[0].curve.size() > 3000);
  auto one = large;
  one.rows.resize(1);
  const std::string file = learning_curves_svg(one);
  const auto begin = file.find("<polyline points=\"");
  CHECK(count(file.substr(begin, file.find('"', begin + 20) - begin), ",") <= 201);
}

TEST_CASE("learning curves of nothing say so") {
  CHECK_THAT(learning_curves_svg({}), ContainsSubstring("No run has been evaluated yet."));
}

TEST_CASE("learning curves of odd reports are well formed") {
  for (const auto& report : odd_reports()) CHECK(fault_of(learning_curves_svg(report)) == "");
}

TEST_CASE("the second half of the baseline's learning curve is in the picture, however good the rows are") {
  auto report = small_report();
  report.rows[0].runs[0].curve = {{500, 900}, {1000, 400}};
  report.rows[0].runs[1].curve = {{500, 900}, {1000, 400}};
  CHECK_THAT(learning_curves_svg(report), !ContainsSubstring(">base ↑"));
  CHECK_THAT(learning_curves_svg(report), ContainsSubstring(">500</text>"));  // perplexity, on the axis
  report.rows[1].runs[0].curve = {{500, 900}, {1000, 400}};
  report.rows[0].runs[0].curve = report.rows[0].runs[1].curve = {{500, 9}, {1000, 4}};
  CHECK_THAT(learning_curves_svg(report), ContainsSubstring(">heads 1 ↑"));  // another row may leave it
}

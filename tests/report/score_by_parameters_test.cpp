#include "tests/catch.h"
#include "tests/report/markup.h"
#include "tests/report/sample.h"
#include "transformer/report/figures.h"

using namespace transformer::test;

TEST_CASE("BLEU by parameters as a file brings its own style and ground") {
  const std::string file = score_by_parameters_svg(small_report());
  CHECK(fault_of(file).empty());
  CHECK(file.find("<svg xmlns=\"http://www.w3.org/2000/svg\"") == 0);
  CHECK_THAT(file, ContainsSubstring("<style>"));
  CHECK_THAT(file, ContainsSubstring("class=\"ground\""));
  CHECK_THAT(draw_score_by_parameters(small_report(), Ground::page), !ContainsSubstring("<style>"));
}

TEST_CASE("BLEU by parameters has a point and a name for each row that has finished") {
  const std::string file = score_by_parameters_svg(small_report());
  CHECK(count(file, ">base</text>") == 1);
  CHECK(count(file, ">heads 1</text>") == 1);
  CHECK(count(file, ">learned</text>") == 0);
  CHECK(count(file, "<title>heads 1: BLEU 24.50, 65.0 million parameters</title>") == 1);
  CHECK(count(file, "class=\"bar ") == 2);
  CHECK(count(file, "class=\"level\"") == 1);
}

TEST_CASE("the bar of BLEU is the interval, or else the deviation, or else missing") {
  auto report = small_report();
  for (auto& row : report.rows) row.score_interval = {};
  CHECK(count(score_by_parameters_svg(report), "class=\"bar ") == 1);  // the row of two seeds
  report.rows[0].runs.pop_back();
  CHECK(count(score_by_parameters_svg(report), "class=\"bar ") == 0);
}

TEST_CASE("points of equal size stand side by side") {
  // The first translate() of each marker is its place; the legend's are at the top.
  const std::string file = score_by_parameters_svg(small_report());
  std::vector<std::string> places;
  for (auto at = file.find("<path "); at != std::string::npos; at = file.find("<path ", at + 1)) {
    const auto begin = file.find("translate(", at) + 10;
    places.push_back(file.substr(begin, file.find(' ', begin) - begin));
  }
  REQUIRE(places.size() >= 2);
  CHECK(std::stod(places[1]) - std::stod(places[0]) == Approx(5));
}

TEST_CASE("the score by parameters of nothing says so") {
  CHECK_THAT(score_by_parameters_svg({}), ContainsSubstring("No run with score has finished yet."));
}

TEST_CASE("BLEU by parameters of odd reports is well formed") {
  for (const auto& report : odd_reports()) CHECK(fault_of(score_by_parameters_svg(report)) == "");
}

TEST_CASE("BLEU by parameters does not stretch sizes that hardly differ over its axis") {
  auto report = small_report();
  report.rows[0].parameters = 1'434'600;
  report.rows[1].parameters = 1'435'100;
  const auto file = score_by_parameters_svg(report);
  CHECK_THAT(file, ContainsSubstring(">1.4</text>") && !ContainsSubstring(">1.43"));
}

#include "transformer/report/format.h"

#include "tests/catch.h"
#include "tests/report/sample.h"

using namespace transformer::test;

TEST_CASE("values, also those that are none") {
  CHECK(format_value(25.8, 2) == "25.80");
  CHECK(format_value(-0.5, 1) == "−0.5");
  CHECK(format_value(no_number, 2) == "NaN");
  CHECK(format_value(infinity, 2) == "∞");
  CHECK(format_value(-infinity, 2) == "−∞");
  CHECK(format_value(123456789.0, 2) == "1.2e8");
  CHECK(format_value(std::optional<double>(), 2) == "–");
}

TEST_CASE("means over seeds") {
  CHECK(format_summary({}, 2) == "–");
  CHECK(format_summary({1, 25.8, {}}, 2) == "25.80");
  CHECK(format_summary({3, 25.8, 0.125}, 2) == "25.80 ± 0.12 (3)");
  CHECK(format_summary({2, infinity, no_number}, 2) == "∞ (2)");
}

TEST_CASE("differences have a sign, unless nothing is left of them") {
  CHECK(format_difference(0.314, 2) == "+0.31");
  CHECK(format_difference(-0.314, 2) == "−0.31");
  CHECK(format_difference(-0.004, 2) == "0.00");
  CHECK(format_difference(no_number, 2) == "NaN");
  CHECK(format_difference(-infinity, 2) == "−∞");
  CHECK(format_interval({25.5, 0.25}) == "25.25–25.75");
}

TEST_CASE("p-values are named, and the one that decides comes first") {
  CHECK(format_p_values({0.012, 0.034, 0.043, 0.129}) ==
        "p = 0.043, Holm p = 0.129 (sentences p = 0.012, seeds p = 0.034)");
  CHECK(format_deciding({0.012, 0.034, 0.043, 0.129}) == "p = 0.043, Holm p = 0.129");
  CHECK(format_p_values({0.0003, {}, 0.0003, {}}) == "sentences p < 0.001");
  CHECK(format_p_values({{}, 0.034, 0.034, 0.068}) == "seeds p = 0.034, Holm p = 0.068");
  CHECK(format_p_values({}).empty());
}

TEST_CASE("costs") {
  CHECK(format_flops(3.3e18) == "3.3e18");
  CHECK(format_flops(1) == "1.0e0");
  CHECK(format_flops(0.05) == "5.0e-2");
  CHECK(format_flops(0) == "–");
  CHECK(format_time(0) == "–");
  CHECK(format_time(no_number) == "–");
  CHECK(format_time(42) == "42 s");
  CHECK(format_time(750) == "12 min 30 s");
  CHECK(format_time(3599.6) == "1 h 0 min");
  CHECK(format_time(4980) == "1 h 23 min");
  CHECK(format_time(7199) == "2 h 0 min");
  CHECK(format_time(3 * 86400 + 4 * 3600) == "3 d 4 h");
}

TEST_CASE("sizes") {
  CHECK(format_millions(65'012'345) == "65.0");
  CHECK(format_millions(999'999) == "1");
  CHECK(format_millions(41'000) == "0.041");
  CHECK(format_millions(0) == "–");
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(-1234567) == "-1\u00a0234\u00a0567");
}

TEST_CASE("the steps of a row are those of its finished runs") {
  auto row = small_report().rows[0];
  CHECK(format_steps(row) == "1\u00a0000");
  row.runs[1].steps = 1600;
  CHECK(format_steps(row) == "1\u00a0000–1\u00a0600");
  row.runs[1].state = "training";
  CHECK(format_steps(row) == "1\u00a0000");
  row.runs.clear();
  CHECK(format_steps(row) == "–");
}

TEST_CASE("the state of a row tells of the runs that are not finished") {
  auto row = small_report().rows[0];
  CHECK(format_state(row) == "finished (2 seeds)");
  row.runs[1].state = "waiting";
  CHECK(format_state(row) == "1 of 2 seeds finished; seed 2: waiting");
  row.runs.pop_back();
  CHECK(format_state(row) == "finished");
  row.runs[0].state = "training, step 9 of 10";
  CHECK(format_state(row) == "training, step 9 of 10");
  row.runs[0].state.clear();
  CHECK(format_state(row) == "–");
  row.runs.clear();
  CHECK(format_state(row) == "–");
}

TEST_CASE("a row without a name gets one") {
  CHECK(display_name("base") == "base");
  CHECK(display_name(" \n") == "(unnamed)");
}

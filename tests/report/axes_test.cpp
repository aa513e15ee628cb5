#include "transformer/report/axes.h"

#include <cmath>

#include "tests/catch.h"

using namespace transformer::report;
using Values = std::vector<double>;

TEST_CASE("a scale maps its ends to its ends") {
  const auto linear = make_scale(false, 10, 30, 100, 200);
  CHECK(linear(10) == Approx(100));
  CHECK(linear(20) == Approx(150));
  CHECK(linear(30) == Approx(200));
  const auto logarithmic = make_scale(true, 10, 1000, 200, 100);  // upwards, as pictures count
  CHECK(logarithmic(10) == Approx(200));
  CHECK(logarithmic(100) == Approx(150));
}

TEST_CASE("a margin widens a scale in its own measure") {
  const auto linear = make_scale(false, 10, 30, 0, 1, 0.1);
  CHECK(linear.low == Approx(8));
  CHECK(linear.high == Approx(32));
  const auto logarithmic = make_scale(true, 10, 1000, 0, 1, 0.5);
  CHECK(logarithmic.low == Approx(1));
  CHECK(logarithmic.high == Approx(10000));
}

TEST_CASE("a scale of one value shows it in the middle") {
  for (const double value : {0.0, 7.0, -3.0, 1e9}) {
    const auto scale = make_scale(false, value, value, 0, 100);
    CHECK(scale(value) == Approx(50));
    CHECK(ticks(scale, 4).size() >= 2);
  }
  CHECK(make_scale(true, 65, 65, 0, 100)(65) == Approx(50));
}

TEST_CASE("ticks are round and within the scale") {
  CHECK(ticks(make_scale(false, 0, 100, 0, 1), 5) == Values{0, 20, 40, 60, 80, 100});
  CHECK(ticks(make_scale(false, 0, 12000, 0, 1), 3) == Values{0, 5000, 10000});
  CHECK(ticks(make_scale(true, 1, 10000, 0, 1), 4) == Values{1, 10, 100, 1000, 10000});
  CHECK(ticks(make_scale(true, 28, 213, 0, 1), 5) == Values{30, 50, 70, 100, 150, 200});
  CHECK(ticks(make_scale(true, 4.3, 5.2, 0, 1), 4).size() >= 4);
}

TEST_CASE("ticks of any range are few, rising and finite") {
  for (const bool logarithmic : {false, true}) {
    for (const double low : {1e-30, 1e-6, 1.0, 4.9, 1e12}) {
      for (const double factor : {1.0, 1.0001, 1.5, 8.0, 1e9, 1e40}) {
        const auto scale = make_scale(logarithmic, low, low * factor, 0, 1);
        const auto values = ticks(scale, 4);
        INFO(logarithmic << " " << low << " " << factor);
        CHECK(!values.empty());
        CHECK(values.size() <= 12);
        for (std::size_t i = 0; i < values.size(); ++i) {
          CHECK(std::isfinite(scale(values[i])));
          CHECK((i == 0 || values[i - 1] < values[i]));
        }
      }
    }
  }
}

TEST_CASE("labels of ticks") {
  CHECK(tick_label(0) == "0");
  CHECK(tick_label(0.1 + 0.2) == "0.3");
  CHECK(tick_label(23.5) == "23.5");
  CHECK(tick_label(20000) == "20\u00a0000");
  CHECK(tick_label(2e12) == "2e+12");
}

#include "transformer/report/equal_variances.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.h"

using namespace transformer::report;

namespace {

std::optional<double> p_value_of(const std::vector<std::vector<double>>& rows) {
  std::vector<Summary> summaries;
  for (const auto& row : rows) summaries.push_back(summarize(row));
  return bartlett_p_value(summaries);
}

}  // namespace

TEST_CASE("the distribution of χ² is SciPy's") {
  struct Known {
    double value;
    int degrees;
    double above;
  };
  const auto known = GENERATE(Known{0.5, 1, 0.47950012218695337}, Known{3.841458820694124, 1, 0.05},
                              Known{5.0, 2, 0.0820849986238988}, Known{12.592, 6, 0.04999245818920999},
                              Known{2.0, 7, 0.9598403687301016}, Known{15.51, 18, 0.6267026582091915},
                              Known{40.0, 19, 0.003272317118779744}, Known{0, 3, 1});
  CAPTURE(known.value, known.degrees);
  CHECK(chi_squared_above(known.value, known.degrees) == Approx(known.above).epsilon(1e-12));
  CHECK(chi_squared_above(std::numeric_limits<double>::infinity(), known.degrees) == 0);
}

// SciPy's bartlett
TEST_CASE("whether rows have one variance is Bartlett's test") {
  CHECK(p_value_of({{30.0, 30.5, 31.0}, {29.0, 29.4, 29.8}, {31.0, 31.6, 32.2}}).value() ==
        Approx(0.8768698889054928));
  CHECK(p_value_of({{30.0, 30.5}, {29.0, 29.1}, {31.0, 33.5}, {20.0, 20.2, 20.9}}).value() ==
        Approx(0.12946215154268154));
  CHECK(p_value_of({{25.0, 25.5}, {24.0, 24.01}}).value() == Approx(0.03828381705621642));
  CHECK(p_value_of({{25.0, 25.5}, {24.0, 24.5}}).value() == Approx(1));
}

TEST_CASE("one row, and rows whose values are equal") {
  CHECK_FALSE(p_value_of({}));
  CHECK_FALSE(p_value_of({{25.0, 25.5}}));
  CHECK(p_value_of({{25.0, 25.0}, {24.0, 24.0}}) == 1);
  CHECK(p_value_of({{25.0, 25.0}, {24.0, 24.5}}) == 0);
}

#include "transformer/base/figure_text.h"

#include <limits>

#include "tests/catch.h"

using transformer::figure_text;

TEST_CASE("figures of any size are short") {
  CHECK(figure_text(12.3456, 2) == "12.35");
  CHECK(figure_text(9'999'999, 3) == "9999999.000");
  CHECK(figure_text(1.2345e150, 3) == "1.23e+150");
  CHECK(figure_text(std::numeric_limits<double>::infinity(), 3) == "inf");
  CHECK(figure_text(std::numeric_limits<double>::quiet_NaN(), 3) == "nan");
}

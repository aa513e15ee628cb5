#include "transformer/report/student.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"

using namespace transformer::report;

TEST_CASE("Student's distribution is SciPy's") {
  struct Known {
    double t;
    int degrees;
    double p_value;
  };
  const auto known = GENERATE(Known{12.706, 1, 0.05000080235813319}, Known{0.5, 1, 0.7048327646991335},
                              Known{2.92, 2, 0.0999991555627072}, Known{1.5, 3, 0.23058386524482294},
                              Known{2.0, 7, 0.08561932856297605}, Known{3.5, 20, 0.002255123153057165},
                              Known{6.0, 21, 5.9104907829033795e-06}, Known{0, 5, 1});
  CAPTURE(known.t, known.degrees);
  CHECK_THAT(student_two_sided(known.t, known.degrees), Catch::Matchers::WithinAbs(known.p_value, 1e-14));
  CHECK(student_two_sided(-known.t, known.degrees) == student_two_sided(known.t, known.degrees));
}

TEST_CASE("Student's quantiles are SciPy's") {
  CHECK(student_quantile(0.05, 1) == Approx(12.706204736174694).epsilon(1e-12));
  CHECK(student_quantile(0.05, 2) == Approx(4.302652729749462).epsilon(1e-12));
  CHECK(student_quantile(0.05, 21) == Approx(2.0796138447276795).epsilon(1e-12));
  CHECK(student_quantile(0.05, 56) == Approx(2.003240718847872).epsilon(1e-12));
  CHECK(student_quantile(0.01, 5) == Approx(4.032142983555228).epsilon(1e-12));
}

TEST_CASE("Student's distribution at its ends") {
  CHECK_THAT(student_two_sided(std::numeric_limits<double>::infinity(), 4),
             Catch::Matchers::WithinAbs(0, 1e-15));
  CHECK(std::isnan(student_two_sided(std::numeric_limits<double>::quiet_NaN(), 4)));
}

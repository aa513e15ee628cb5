#include "transformer/report/training_time.h"

#include "tests/catch.h"

using transformer::report::TrainingTime;

TEST_CASE("the time of a training is that of all its sittings") {
  TrainingTime training;
  CHECK(training.add(5, 1005) == 5);
  CHECK(training.add(11, 1011) == 11);
  SECTION("the second is shorter than the first") {
    CHECK(training.add(4, 2004) == 15);
    CHECK(training.add(6, 2006) == 17);
  }
  SECTION("the second has its first line later than the first its last") {
    CHECK(training.add(20, 2020) == 31);
    CHECK(training.add(25, 2025) == 36);
  }
  SECTION("a line may come when it likes") {
    CHECK(training.add(500, 1500) == 500);
  }
}

TEST_CASE("without times a sitting is new where its seconds are fewer") {
  constexpr auto unknown = std::numeric_limits<double>::quiet_NaN();
  TrainingTime training;
  CHECK(training.add(5, unknown) == 5);
  CHECK(training.add(11, unknown) == 11);
  CHECK(training.add(4, unknown) == 15);
  CHECK(training.add(6, 2006) == 17);
}

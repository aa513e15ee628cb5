#include "transformer/train/schedule.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/train/constants_torch.h"

namespace transformer::train {
namespace {

TEST_CASE("the schedule of the paper, with numbers computed by hand") {
  const TrainOptions paper;
  CHECK(learning_rate(paper, 512, 1) == Approx(1.746928107421711e-07).epsilon(1e-12));
  CHECK(learning_rate(paper, 512, 4000) == Approx(6.987712429686843e-04).epsilon(1e-12));
  CHECK(learning_rate(paper, 512, 2000) == Approx(learning_rate(paper, 512, 4000) / 2).epsilon(1e-12));
  CHECK(learning_rate(paper, 512, 16000) == Approx(learning_rate(paper, 512, 4000) / 2).epsilon(1e-12));
  CHECK(learning_rate(paper, 1024, 100) == Approx(learning_rate(paper, 256, 100) / 2).epsilon(1e-12));
  for (std::int64_t step = 1; step < 8000; ++step) {
    const bool rises = learning_rate(paper, 512, step + 1) > learning_rate(paper, 512, step);
    if (rises != (step < 4000)) FAIL("step " << step);
  }
}

TEST_CASE("the factor scales each schedule") {
  const auto schedule = GENERATE(Schedule::noam, Schedule::inverse_sqrt, Schedule::constant, Schedule::cosine,
                                 Schedule::linear);
  const TrainOptions one{.schedule = schedule}, two{.schedule = schedule, .factor = 2.0};
  for (const std::int64_t step : {1, 100, 4000, 70000})
    CHECK(learning_rate(two, 64, step) == Approx(2 * learning_rate(one, 64, step)).epsilon(1e-12));
}

TEST_CASE("inverse_sqrt peaks at the factor, whatever the model's size") {
  const TrainOptions options{.schedule = Schedule::inverse_sqrt, .warmup = 100, .factor = 0.005};
  CHECK(learning_rate(options, 512, 1) == Approx(0.00005));
  CHECK(learning_rate(options, 512, 100) == Approx(0.005));
  CHECK(learning_rate(options, 32, 400) == Approx(0.0025));
}

TEST_CASE("constant rises to the factor and stays") {
  TrainOptions options{.schedule = Schedule::constant, .warmup = 10, .factor = 0.3};
  CHECK(learning_rate(options, 512, 5) == Approx(0.15));
  CHECK(learning_rate(options, 512, 10) == Approx(0.3));
  CHECK(learning_rate(options, 512, 100000) == Approx(0.3));
  options.warmup = 0;
  CHECK(learning_rate(options, 512, 1) == Approx(0.3));
}

TEST_CASE("cosine and linear fall from the factor to the floor as PyTorch's schedulers do") {
  const auto check = [](Schedule schedule, const std::vector<double>& rates) {
    for (const std::int64_t warmup : {0, 1, 4}) {
      const auto decay = static_cast<std::int64_t>(rates.size()) - 1;
      const TrainOptions options{.steps = warmup + decay,
                                 .schedule = schedule,
                                 .warmup = warmup,
                                 .factor = test::peak_rate,
                                 .floor = test::floor_rate};
      for (std::int64_t step = 1; step < warmup; ++step)
        CHECK(learning_rate(options, 512, step) == Approx(test::peak_rate * static_cast<double>(step) / 4));
      for (std::int64_t i = warmup == 0 ? 1 : 0; i <= decay; ++i) {
        CAPTURE(warmup, i);
        CHECK(learning_rate(options, 512, warmup + i) ==
              Approx(rates[static_cast<std::size_t>(i)]).epsilon(1e-11));
      }
      CHECK(learning_rate(options, 512, warmup + decay + 5) == Approx(test::floor_rate));
    }
  };
  check(Schedule::cosine, test::cosine_rates);
  check(Schedule::linear, test::linear_rates);
}

}  // namespace
}  // namespace transformer::train

#include "transformer/train/measurements.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/catch.h"

namespace transformer::train {
namespace {

nlohmann::json parsed(const std::string& line) {
  CHECK(line.find('\n') == std::string::npos);
  return nlohmann::json::parse(line);
}

TEST_CASE("a measurement is a JSON object on a line") {
  const auto train = to_line(Metrics{.step = 10,
                                     .split = "train",
                                     .loss = 1.5,
                                     .perplexity = 4.25,
                                     .learning_rate = 1e-4,
                                     .tokens_per_second = 1000,
                                     .flops = 1e18,
                                     .epoch = 2,
                                     .target_tokens = 12345,
                                     .skipped = 3,
                                     .gradient_norm = 0.75,
                                     .metric = std::nullopt,
                                     .seconds = 3.5,
                                     .time = 1.7e9});
  CHECK(parsed(train) == nlohmann::json{{"step", 10},
                                        {"split", "train"},
                                        {"loss", 1.5},
                                        {"perplexity", 4.25},
                                        {"learning_rate", 1e-4},
                                        {"tokens_per_second", 1000.0},
                                        {"flops", 1e18},
                                        {"epoch", 2},
                                        {"target_tokens", 12345},
                                        {"skipped", 3},
                                        {"gradient_norm", 0.75},
                                        {"seconds", 3.5},
                                        {"time", 1.7e9}});
  const auto dev = parsed(to_line(Metrics{.step = 10, .split = "dev", .metric = DevMetric{"BLEU", 27.3}}));
  CHECK(dev["split"] == "dev");
  CHECK(dev["bleu"] == 27.3);
  CHECK_FALSE(dev.contains("gradient_norm"));
  const auto fp16 = parsed(
      to_line(Metrics{.step = 20, .split = "train", .loss_scale = LossScale{.value = 1024, .overflows = 6}}));
  CHECK(fp16["loss_scale"] == 1024.0);
  CHECK(fp16["overflows"] == 6);
  const auto lost = Metrics{.split = "dev", .loss = std::numeric_limits<double>::quiet_NaN()};
  CHECK(parsed(to_line(lost))["loss"].is_null());
  const auto infinite = Metrics{.split = "dev", .perplexity = std::numeric_limits<double>::infinity()};
  CHECK(parsed(to_line(infinite))["perplexity"] == std::numeric_limits<double>::max());
}

TEST_CASE("a sample is a line of the dev set, whatever bytes are in it") {
  const SampleLine sample{.step = 30, .number = 2, .sample = {"a \"b\"", "c\td", "e\xFF"}, .time = 1.7e9};
  CHECK(parsed(to_line(sample)) == nlohmann::json{{"step", 30},
                                                  {"split", "dev"},
                                                  {"sentence", 2},
                                                  {"source", "a \"b\""},
                                                  {"reference", "c\td"},
                                                  {"translation", "e\uFFFD"},
                                                  {"time", 1.7e9}});
}

}  // namespace
}  // namespace transformer::train

#include "transformer/train/metrics_file.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

using test::content_of;

TEST_CASE("each measurement is one JSON object a line") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "metrics.jsonl";
  MetricsFile file(path, 0, 0);
  file.write({.step = 10,
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
              .seconds = 3.5});
  file.write({.step = 10, .split = "dev", .metric = DevMetric{"BLEU", 27.3}});
  file.write({.step = 20, .split = "train", .loss_scale = LossScale{.value = 1024, .overflows = 6}});

  std::istringstream lines(content_of(path));  // each line is on the disk already
  std::string line;
  REQUIRE(std::getline(lines, line));
  const auto train = nlohmann::json::parse(line);
  CHECK(train == nlohmann::json{{"step", 10},
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
                                {"seconds", 3.5}});
  REQUIRE(std::getline(lines, line));
  const auto dev = nlohmann::json::parse(line);
  CHECK(dev["split"] == "dev");
  CHECK(dev["bleu"] == 27.3);
  CHECK_FALSE(dev.contains("gradient_norm"));
  REQUIRE(std::getline(lines, line));
  const auto fp16 = nlohmann::json::parse(line);
  CHECK(fp16["loss_scale"] == 1024.0);
  CHECK(fp16["overflows"] == 6);
  CHECK_FALSE(std::getline(lines, line));
}

TEST_CASE("opening drops the lines of later steps and one that a crash cut off") {
  const test::TemporaryFolder folder;
  const std::string kept = "{\"step\":1,\"split\":\"train\"}\n{\"step\":2,\"x\":[1,2]}\n";
  const auto path =
      folder.write("metrics.jsonl", kept + "{\"step\":3,\"split\":\"train\"}\n{\"step\":2,\"lo");
  MetricsFile file(path, 2, 2);
  CHECK(content_of(path) == kept);
  file.write({.step = 3, .split = "dev"});
  CHECK(content_of(path).starts_with(kept + "{\"step\":3,\"split\":\"dev\""));
  CHECK(content_of(path).ends_with("}\n"));
}

TEST_CASE("opening drops the line of an evaluation that the checkpoint does not know of") {
  const test::TemporaryFolder folder;
  const std::string kept = "{\"step\":2,\"split\":\"dev\"}\n{\"step\":4,\"split\":\"train\"}\n";
  const auto path = folder.write("metrics.jsonl", kept + "{\"step\":4,\"split\":\"dev\"}\n");
  const MetricsFile file(path, 4, 2);
  CHECK(content_of(path) == kept);
}

TEST_CASE("a whole last line without its line end is completed") {
  const test::TemporaryFolder folder;
  const auto path = folder.write("metrics.jsonl", "{\"step\":1}\n{\"step\":2}");
  const MetricsFile file(path, 2, 2);
  CHECK(content_of(path) == "{\"step\":1}\n{\"step\":2}\n");
}

TEST_CASE("a file that cannot be written is named") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "absent" / "metrics.jsonl";
  CHECK_THROWS_AS(MetricsFile(path, 0, 0), InputError);
  CHECK_THROWS_WITH(MetricsFile(path, 0, 0), ContainsSubstring(path.string()));
}

}  // namespace
}  // namespace transformer::train

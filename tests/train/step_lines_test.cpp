#include "transformer/train/step_lines.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

using test::content_of;

TEST_CASE("opening drops the lines of later steps and one that a crash cut off") {
  const test::TemporaryFolder folder;
  const std::string kept = "{\"step\":1,\"split\":\"train\"}\n{\"step\":2,\"x\":[1,2]}\n";
  const auto path =
      folder.write("metrics.jsonl", kept + "{\"step\":3,\"split\":\"train\"}\n{\"step\":2,\"lo");
  StepLines file(path, 2, 2);
  CHECK(content_of(path) == kept);
  file.write(R"({"step":3,"split":"dev"})");
  CHECK(content_of(path) == kept + "{\"step\":3,\"split\":\"dev\"}\n");
}

TEST_CASE("opening drops the line of an evaluation that the checkpoint does not know of") {
  const test::TemporaryFolder folder;
  const std::string kept = "{\"step\":2,\"split\":\"dev\"}\n{\"step\":4,\"split\":\"train\"}\n";
  const auto path = folder.write("metrics.jsonl", kept + "{\"step\":4,\"split\":\"dev\"}\n");
  const StepLines file(path, 4, 2);
  CHECK(content_of(path) == kept);
}

TEST_CASE("a line whose split is no text is no evaluation's") {
  const test::TemporaryFolder folder;
  const std::string kept = "{\"step\":2,\"split\":3}\n";
  const auto path = folder.write("metrics.jsonl", kept + "{\"step\":3,\"split\":3}\n");
  const StepLines file(path, 2, 0);
  CHECK(content_of(path) == kept);
}

TEST_CASE("a whole last line without its line end is completed") {
  const test::TemporaryFolder folder;
  const auto path = folder.write("metrics.jsonl", "{\"step\":1}\n{\"step\":2}");
  const StepLines file(path, 2, 2);
  CHECK(content_of(path) == "{\"step\":1}\n{\"step\":2}\n");
}

TEST_CASE("a file that cannot be written is named") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "absent" / "metrics.jsonl";
  CHECK_THROWS_AS(StepLines(path, 0, 0), InputError);
  CHECK_THROWS_WITH(StepLines(path, 0, 0), ContainsSubstring(path.string()));
}

}  // namespace
}  // namespace transformer::train

#include "transformer/train/step_lines.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

using test::content_of;

/// What is left of a text when the file is opened after these steps.
std::string left_of(const std::string& text, std::int64_t step, std::int64_t evaluated) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("metrics.jsonl", text);
  const StepLines file(path, step, evaluated);
  return content_of(path);
}

TEST_CASE("the last step is found at the end of a long file") {
  const test::TemporaryFolder folder;
  std::string text;
  for (int step = 1; step <= 5000; ++step)
    text += "{\"step\":" + std::to_string(step) + ",\"split\":\"train\"}\n";
  CHECK(last_step(folder.write("long", text)) == 5000);
  CHECK(last_step(folder.write("cut", text + "no line\n{\"step\":60")) == 5000);
  CHECK(last_step(folder.write("empty", "")) == 0);
  CHECK(last_step(folder.path() / "none") == 0);
}

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
  const std::string kept = "{\"step\":2,\"split\":\"dev\"}\n{\"step\":4,\"split\":\"train\"}\n";
  CHECK(left_of(kept + "{\"step\":4,\"split\":\"dev\"}\n", 4, 2) == kept);
}

TEST_CASE("a line whose split is no text is no evaluation's") {
  const std::string kept = "{\"step\":2,\"split\":3}\n";
  CHECK(left_of(kept + "{\"step\":3,\"split\":3}\n", 2, 0) == kept);
}

TEST_CASE("a whole last line without its line end is completed") {
  CHECK(left_of("{\"step\":1}\n{\"step\":2}", 2, 2) == "{\"step\":1}\n{\"step\":2}\n");
}

TEST_CASE("a file that cannot be written is named") {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "absent" / "metrics.jsonl";
  CHECK_THROWS_AS(StepLines(path, 0, 0), InputError);
  CHECK_THROWS_WITH(StepLines(path, 0, 0), ContainsSubstring(path.string()));
}

}  // namespace
}  // namespace transformer::train

#include "transformer/data/summary.h"

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"

namespace transformer::data {
namespace {

using nlohmann::json;
using test::TemporaryFolder;

json sample() {
  const SplitReport split{.examples = {100, 1, 2, 3}, .source_tokens = 10, .target_tokens = 20};
  const PrepareReport report{.splits = {{"train", split}}, .source_vocabulary = 8, .target_vocabulary = 9};
  return {{"version", 2},
          {"options", content_options({})},
          {"inputs", {{"train.en", std::string(64, 'a')}}},
          {"report", report_to_json(report)}};
}

TEST_CASE("a summary reads back as it was written") {
  const TemporaryFolder folder;
  const auto summary = read_summary(folder.write("summary.json", sample().dump()));
  CHECK(summary == sample());
  CHECK(report_to_json(report_from_json(summary.at("report"))) == sample().at("report"));
  CHECK_FALSE(first_difference(summary.at("options"), content_options({})));
  CHECK(first_difference(summary.at("options"), content_options({.max_tokens = 7})) ==
        "data.max_tokens is 7, but was 256");
  CHECK(first_difference(summary.at("options"), content_options({.columns = {"2", "1"}})) ==
        "data.columns is \"2,1\", but was \"1,2\"");
  CHECK(first_difference(content_options({.columns = {"2", "1"}}), content_options({})) ==
        "data.columns is \"1,2\", but was \"2,1\"");
  CHECK_FALSE(content_options({}).contains("columns"));  // folders are known by their bytes
}

TEST_CASE("what is no summary is refused") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text) {
    CAPTURE(text.substr(0, 1000));
    CHECK_THROWS_AS(read_summary(folder.write("summary.json", text)), InputError);
  };
  const auto with = [](const char* pointer, const json& value) {
    json changed = sample();
    changed[json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  refused("");
  refused("[1]");
  refused(with("/version", 1));
  refused(with("/options/own_tokenizer", 1));
  refused(with("/options/shared_vocabulary", "yes"));
  refused(with("/options", 1));
  refused(with("/inputs/train.en", 1));
  refused(with("/report/source_vocabulary", -1));
  refused(with("/report/untrained_lines", 0.5));
  refused(with("/report/splits/train/kept", 1e300));
  refused(with("/report/splits/train/dropped/ratio", UINT64_MAX));
  // Reading it takes no stack, but copying and printing it do.
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  std::string text = with("/options/vocabulary", "DEEP");
  refused(text.replace(text.find("\"DEEP\""), 6, deep));
}

}  // namespace
}  // namespace transformer::data

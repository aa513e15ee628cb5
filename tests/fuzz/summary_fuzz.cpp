// summary.json of a prepared folder.
#include "tests/fuzz/check.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/target.h"
#include "transformer/data/summary.h"

namespace transformer::fuzz {
namespace {

std::string summary(const data::DataOptions& options) {
  const data::SplitReport split{.examples = {100, 1, 2, 3}, .source_tokens = 10, .target_tokens = 20};
  const data::PrepareReport report{.splits = {{"train", split}, {"dev", {}}}, .source_vocabulary = 8};
  return nlohmann::json{{"version", 2},
                        {"options", data::content_options(options)},
                        {"inputs", {{"train.en", std::string(64, 'a')}, {"train.de", std::string(64, 'b')}}},
                        {"report", data::report_to_json(report)}}
      .dump(1);
}

}  // namespace

std::vector<std::string> seeds() {
  return {summary({}), summary({.tokenizer = "tokenizer.model"})};
}

std::vector<std::string> words() {
  return {"null",
          "1.5",
          "1e300",
          "-1",
          "[[[[[[[[",
          "{}",
          "[]",
          "18446744073709551615",
          "true",
          "\"\"",
          "\\n",
          "\"splits\":",
          "\"inputs\":",
          "\"options\":",
          "\"report\":",
          "\"version\":2",
          "\"kept\":1e300,",
          "\"source_unknown\":-1,",
          "\"inputs\":{\"train.en\":1},",
          "\"untrained_lines\":0.5,",
          "{\"a\":{\"a\":{\"a\":"};
}

}  // namespace transformer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace transformer;
  static const fuzz::ScratchFile file;
  const auto path = file.write(fuzz::text_of(data, size));
  const auto summary = fuzz::accepted([&] { return data::read_summary(path); });
  if (!summary) return 0;
  for (const auto& input : summary->at("inputs")) fuzz::require(input.is_string(), "sums are texts");
  data::small_files(*summary);
  const auto report = data::report_from_json(summary->at("report"));
  fuzz::require(report.source_vocabulary >= 0 && report.untrained_lines >= 0, "counts are from 0 up");
  const auto written = data::report_to_json(report);
  fuzz::require(data::report_to_json(data::report_from_json(written)) == written,
                "a report reads back as written");
  const auto difference = data::first_difference(summary->at("options"), data::content_options({}));
  fuzz::require(!difference || difference->find('\n') == std::string::npos, "a difference is one line");
  return 0;
}

// The files in configs/ by themselves. Table 3 is in tests/experiments/table3_test.cpp.
#include <filesystem>
#include <set>

#include "tests/catch.h"
#include "transformer/config/departures.h"
#include "transformer/config/yaml.h"

using namespace transformer;
using namespace transformer::config;

namespace {

const std::filesystem::path configs = std::filesystem::path(SOURCE_DIR) / "configs";

/// Whether a file is a list of experiments, not an experiment.
bool is_list(const std::filesystem::path& file) {
  return file.filename() == "table.yaml" || file.filename() == "relative.yaml";
}

}  // namespace

TEST_CASE("every configuration file loads and reads back") {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(configs)) {
    if (entry.path().extension() != ".yaml" || is_list(entry.path())) continue;
    CAPTURE(entry.path());
    ++found;
    const auto experiment = load_experiment(entry.path());
    CHECK(parse_experiment(to_yaml(experiment), "copy.yaml") == experiment);
    CHECK_FALSE(experiment.data.train.empty());
    CHECK_FALSE(experiment.data.prepared.empty());
  }
  CHECK(found >= 24);
}

TEST_CASE("the base configuration writes out the defaults and departs from nothing") {
  const auto base = load_experiment(configs / "base.yaml");
  for (const auto& difference : differences({}, base)) {
    CAPTURE(difference.key);
    CHECK(
        std::set<std::string>{"data.train", "data.dev", "data.test", "data.prepared"}.count(difference.key));
  }
  CHECK(departures(base).empty());
  CHECK(departures(load_experiment(configs / "big.yaml")).size() == 1);
}

TEST_CASE("checkpoints are ten minutes apart, as the paper's, and enough to average are kept") {
  const auto base = load_experiment(configs / "base.yaml").train,
             big = load_experiment(configs / "big.yaml").train;
  CHECK(static_cast<double>(base.save_every) * 0.4 == 600);
  CHECK(static_cast<double>(big.save_every) * 1.0 == 600);
  CHECK(base.keep >= 5);
  CHECK(big.keep >= 20);
}

TEST_CASE("the small experiments drop the pairs that they dropped when they were measured") {
  for (const auto* name : {"multi30k.yaml", "demo.yaml", "table3-mini/base.yaml"})
    CHECK(load_experiment(configs / name).data.max_ratio == 3);
}

// The files in configs/ against the paper's Table 3.
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "tests/catch.h"
#include "transformer/config/departures.h"
#include "transformer/config/yaml.h"
#include "transformer/models/size.h"

using namespace transformer;
using namespace transformer::config;

namespace {

const std::filesystem::path configs = std::filesystem::path(SOURCE_DIR) / "configs";

struct Row {
  std::vector<std::string> changes;  ///< over the base row
  std::int64_t millions = 0;         ///< parameters; 0 where the table prints none
};

/// Whether a file is a list of experiments (experiment_list_test.cpp), not an experiment.
bool is_list(const std::filesystem::path& file) {
  return file.filename() == "table.yaml" || file.filename() == "relative.yaml";
}

const std::map<std::string, Row> rows{
    {"base", {{}, 65}},
    {"a-heads-1", {{"model.heads=1", "model.d_k=512", "model.d_v=512"}, 0}},
    {"a-heads-4", {{"model.heads=4", "model.d_k=128", "model.d_v=128"}, 0}},
    {"a-heads-16", {{"model.heads=16", "model.d_k=32", "model.d_v=32"}, 0}},
    {"a-heads-32", {{"model.heads=32", "model.d_k=16", "model.d_v=16"}, 0}},
    {"b-dk-16", {{"model.d_k=16"}, 58}},
    {"b-dk-32", {{"model.d_k=32"}, 60}},
    {"c-layers-2", {{"model.layers=2"}, 36}},
    {"c-layers-4", {{"model.layers=4"}, 50}},
    {"c-layers-8", {{"model.layers=8"}, 80}},
    {"c-dmodel-256", {{"model.d_model=256", "model.d_k=32", "model.d_v=32"}, 28}},
    {"c-dmodel-1024", {{"model.d_model=1024", "model.d_k=128", "model.d_v=128"}, 168}},
    {"c-dff-1024", {{"model.d_ff=1024"}, 53}},
    {"c-dff-4096", {{"model.d_ff=4096"}, 90}},
    {"d-dropout-0.0", {{"model.dropout=0"}, 0}},
    {"d-dropout-0.2", {{"model.dropout=0.2"}, 0}},
    {"d-smoothing-0.0", {{"train.label_smoothing=0"}, 0}},
    {"d-smoothing-0.2", {{"train.label_smoothing=0.2"}, 0}},
    {"e-learned-positions", {{"model.positions=learned"}, 0}},
    {"big",
     {{"model.d_model=1024", "model.d_ff=4096", "model.heads=16", "model.dropout=0.3", "train.steps=300000",
       "train.save_every=600", "train.eval_every=600"},
      213}},
};

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

TEST_CASE("each row of Table 3 is its delta over the base, with the paper's parameters") {
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs / "table3")) {
    if (is_list(entry.path())) continue;
    const auto name = entry.path().stem().string();
    CAPTURE(name);
    ++found;
    REQUIRE(rows.count(name) == 1);
    const Row& row = rows.at(name);
    const auto experiment = load_experiment(entry.path());
    CHECK(experiment == load_experiment(configs / "base.yaml", row.changes));
    CHECK(departures(experiment).size() == (name == "base" ? 0 : 1));
    if (row.millions == 0) continue;
    // The vocabularies for which the printed numbers hold; the paper's text says "about 37000".
    const std::int64_t vocabulary = name == "big" ? 36000 : 41100;
    const auto count = models::count_parameters(experiment.model, {vocabulary, vocabulary});
    CHECK(std::llround(static_cast<double>(count.total()) / 1e6) == row.millions);
  }
  CHECK(found == 20);
}

// The lists in configs/ against the paper's Table 3.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/config/departures.h"
#include "transformer/config/yaml.h"
#include "transformer/experiments/experiment_list.h"
#include "transformer/models/size.h"

using namespace transformer;
using namespace transformer::config;
using namespace transformer::experiments;

namespace {

const std::filesystem::path configs = std::filesystem::path(SOURCE_DIR) / "configs";

/// What the paper prints.
struct Published {
  std::string name;
  double perplexity, bleu;
  double millions;                   ///< parameters; 0 where the table prints none
  std::vector<std::string> changes;  ///< over the base row
};

const std::vector<Published> published{
    {"base", 4.92, 25.8, 65, {}},
    {"a-heads-1", 5.29, 24.9, 0, {"model.heads=1", "model.d_k=512", "model.d_v=512"}},
    {"a-heads-4", 5.00, 25.5, 0, {"model.heads=4", "model.d_k=128", "model.d_v=128"}},
    {"a-heads-16", 4.91, 25.8, 0, {"model.heads=16", "model.d_k=32", "model.d_v=32"}},
    {"a-heads-32", 5.01, 25.4, 0, {"model.heads=32", "model.d_k=16", "model.d_v=16"}},
    {"b-dk-16", 5.16, 25.1, 58, {"model.d_k=16"}},
    {"b-dk-32", 5.01, 25.4, 60, {"model.d_k=32"}},
    {"c-layers-2", 6.11, 23.7, 36, {"model.layers=2"}},
    {"c-layers-4", 5.19, 25.3, 50, {"model.layers=4"}},
    {"c-layers-8", 4.88, 25.5, 80, {"model.layers=8"}},
    {"c-dmodel-256", 5.75, 24.5, 28, {"model.d_model=256", "model.d_k=32", "model.d_v=32"}},
    {"c-dmodel-1024", 4.66, 26.0, 168, {"model.d_model=1024", "model.d_k=128", "model.d_v=128"}},
    {"c-dff-1024", 5.12, 25.4, 53, {"model.d_ff=1024"}},
    {"c-dff-4096", 4.75, 26.2, 90, {"model.d_ff=4096"}},
    {"d-dropout-0.0", 5.77, 24.6, 0, {"model.dropout=0"}},
    {"d-dropout-0.2", 4.95, 25.5, 0, {"model.dropout=0.2"}},
    {"d-smoothing-0.0", 4.67, 25.3, 0, {"train.label_smoothing=0"}},
    {"d-smoothing-0.2", 5.47, 25.7, 0, {"train.label_smoothing=0.2"}},
    {"e-learned-positions", 4.92, 25.7, 0, {"model.positions=learned"}},
    {"big",
     4.33,
     26.4,
     213,
     {"model.d_model=1024", "model.d_ff=4096", "model.heads=16", "model.dropout=0.3", "train.steps=300000",
      "train.save_every=600", "train.eval_every=600"}}};

ExperimentList table3() {
  return load_experiment_list(configs / "table3" / "table.yaml");
}

}  // namespace

TEST_CASE("the list of Table 3 has the paper's rows and figures, in its order") {
  const auto list = table3();
  auto place = list.variations.begin();
  for (const auto& row : published) {
    CAPTURE(row.name);
    // Rows that the paper does not print may stand between.
    place = std::find_if(place, list.variations.end(), [&](const auto& one) { return one.name == row.name; });
    REQUIRE(place != list.variations.end());
    CHECK(place->experiment == load_experiment(configs / "base.yaml", row.changes));
    CHECK(place->paper.perplexity == row.perplexity);
    CHECK(place->paper.score == row.bleu);
    CHECK(place->paper.parameters.value_or(0) == row.millions);
    CHECK(place->seeds == std::vector<std::int64_t>{1});
  }
}

TEST_CASE("each row of Table 3 is a file, with the parameters that it says, and known by its letter") {
  std::set<std::string> files{"table", "relative"};
  for (const auto& row : table3().variations) {
    CAPTURE(row.name);
    files.insert(row.name);
    CHECK(row.experiment == load_experiment(configs / "table3" / (row.name + ".yaml")));
    const bool lettered = row.name != "base" && row.name != "big";
    CHECK(row.group == (lettered ? std::string(1, static_cast<char>(std::toupper(row.name[0]))) : ""));
    const auto found = departures(row.experiment);
    REQUIRE(found.size() == (row.name == "base" ? 0 : 1));
    if (lettered) CHECK_THAT(found[0], ContainsSubstring("row " + row.group + " of Table 3: "));
    if (!row.paper.parameters) continue;
    // The vocabularies for which the printed numbers hold; the paper's text says "about 37000".
    const std::int64_t vocabulary = row.name == "big" ? 36000 : 41100;
    const auto count = models::count_parameters(row.experiment.model, {vocabulary, vocabulary});
    CHECK(std::round(static_cast<double>(count.total()) / 1e6) == row.paper.parameters);
  }
  for (const auto& entry : std::filesystem::directory_iterator(configs / "table3"))
    CHECK(files.count(entry.path().stem().string()) == 1);
}

TEST_CASE("with 37 000 pieces no row of base has the parameters that Table 3 prints") {
  const auto millions = [](const Variation& row) {
    return static_cast<double>(models::count_parameters(row.experiment.model, {37000, 37000}).total()) / 1e6;
  };
  for (const auto& row : table3().variations) {
    if (!row.paper.parameters) continue;
    CAPTURE(row.name);
    CHECK(std::round(millions(row)) != row.paper.parameters);
    if (row.name == "base") CHECK(millions(row) == Approx(63.045632));
    if (row.name == "big") CHECK(millions(row) == Approx(214.171648));
  }
}

TEST_CASE("the relative rows, of the paper's base, are the paper's rows") {
  const test::TemporaryFolder folder;
  const auto file = folder.write("list.yaml", "extends: " + (configs / "table3" / "relative.yaml").string() +
                                                  "\nbase: " + (configs / "base.yaml").string() + "\n");
  const auto list = load_experiment_list(file), paper = table3();
  REQUIRE(list.variations.size() == paper.variations.size());
  for (std::size_t i = 0; i < list.variations.size(); ++i) {
    const auto& row = list.variations[i];
    CAPTURE(row.name);
    // How often the big model is saved is the paper's 10 minutes, and no multiple of what another base says.
    auto experiment = paper.variations[i].experiment;
    CHECK(experiment.train.save_every == (row.name == "big" ? 600 : 1500));
    CHECK(experiment.train.eval_every == experiment.train.save_every);
    experiment.train.save_every = experiment.train.eval_every = 1500;
    CHECK(differences(row.experiment, experiment).empty());
    CHECK(row.paper.perplexity == paper.variations[i].paper.perplexity);
    CHECK(row.paper.score == paper.variations[i].paper.score);
    CHECK_FALSE(row.paper.parameters);
  }
}

TEST_CASE("the miniature has the same rows of a base of its own") {
  const auto list = load_experiment_list(configs / "table3-mini" / "table.yaml");
  REQUIRE(list.variations.size() == table3().variations.size());
  const auto& base = list.variations.front();
  CHECK(base.seeds == std::vector<std::int64_t>{1, 2, 3});
  CHECK(list.variations.back().seeds == std::vector<std::int64_t>{1});
  const auto find = [&](const std::string& name) {
    const auto found = std::ranges::find(list.variations, name, &Variation::name);
    REQUIRE(found != list.variations.end());
    return found->experiment;
  };
  CHECK(find("a-heads-eighth").model.heads == base.experiment.model.heads / 8);
  CHECK(find("a-heads-eighth").model.d_k == base.experiment.model.d_k * 8);
  CHECK(find("c-layers-third").model.decoder_layers == base.experiment.model.decoder_layers / 3);
  CHECK(find("big").model.dropout == Approx(3 * base.experiment.model.dropout));
}

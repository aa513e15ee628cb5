// The list in configs/table2 against the paper's Table 2 and section 6.1.
#include <algorithm>
#include <filesystem>

#include "tests/catch.h"
#include "transformer/config/yaml.h"
#include "transformer/experiments/experiment_list.h"
#include "transformer/experiments/study.h"
#include "transformer/train/cost.h"

using namespace transformer;
using namespace transformer::experiments;

namespace {

const std::filesystem::path configs = std::filesystem::path(SOURCE_DIR) / "configs";

ExperimentList table2() {
  return load_experiment_list(configs / "table2" / "table.yaml");
}

const Variation& row(const ExperimentList& list, const std::string& name) {
  const auto found = std::ranges::find(list.variations, name, &Variation::name);
  REQUIRE(found != list.variations.end());
  return *found;
}

}  // namespace

TEST_CASE("the list of Table 2 has the paper's models, averages and test sets") {
  const auto list = table2();
  CHECK(list.test);
  CHECK(list.tokenize == std::vector<eval::MetricOptions>{{}, {eval::Tokenization::paper}});
  CHECK(list.variations.size() == 4);
  CHECK_NOTHROW(check_averages(list));
  CHECK_NOTHROW(check_tests(list));
  CHECK(row(list, "base").experiment == config::load_experiment(configs / "base.yaml"));
  CHECK(row(list, "big").experiment == config::load_experiment(configs / "big.yaml"));
  for (const auto& variation : list.variations) {
    CAPTURE(variation.name);
    const bool big = variation.name.ends_with("big"), french = variation.name.starts_with("french");
    const auto& experiment = variation.experiment;
    CHECK(variation.average == (big ? 20 : 5));
    CHECK(variation.group == (french ? "English to French" : "English to German"));
    CHECK(experiment.data.target == (french ? "fr" : "de"));
    CHECK(experiment.data.vocabulary == (french ? 32000 : 37000));
    CHECK(std::filesystem::path(experiment.data.test).filename() == "newstest2014");
    CHECK(experiment.model.d_model == (big ? 1024 : 512));
    CHECK(experiment.train.steps == (big ? 300000 : 100000));
    CHECK(experiment.model.dropout == (big && !french ? 0.3 : 0.1));
  }
}

TEST_CASE("models of one pair of languages in Table 2 share their data") {
  const auto list = table2();
  CHECK(row(list, "base").experiment.data == row(list, "big").experiment.data);
  CHECK(row(list, "french-base").experiment.data == row(list, "french-big").experiment.data);
  CHECK(row(list, "french-base").experiment.data.prepared != row(list, "base").experiment.data.prepared);
}

TEST_CASE("the list of Table 2 has what the paper prints of each system") {
  struct System {
    const char* name;
    double german, german_flops, french, french_flops;  ///< 0 where the table has none
  };
  const std::vector<System> systems{{"ByteNet", 23.75, 0, 0, 0},
                                    {"Deep-Att + PosUnk", 0, 0, 39.2, 1.0e20},
                                    {"GNMT + RL", 24.6, 2.3e19, 39.92, 1.4e20},
                                    {"ConvS2S", 25.16, 9.6e18, 40.46, 1.5e20},
                                    {"MoE", 26.03, 2.0e19, 40.56, 1.2e20},
                                    {"Deep-Att + PosUnk, ensemble", 0, 0, 40.4, 8.0e20},
                                    {"GNMT + RL, ensemble", 26.30, 1.8e20, 41.16, 1.1e21},
                                    {"ConvS2S, ensemble", 26.36, 7.7e19, 41.29, 1.2e21},
                                    {"Transformer, base", 27.3, 3.3e18, 38.1, 3.3e18},
                                    {"Transformer, big", 28.4, 2.3e19, 41.8, 2.3e19}};
  const auto list = table2();
  std::size_t count = 0;
  const auto check = [&](const System& system, const char* group, double bleu, double flops) {
    if (bleu == 0) return;
    ++count;
    CAPTURE(system.name, group);
    const auto found = std::ranges::find_if(
        list.published, [&](const auto& one) { return one.name == system.name && one.group == group; });
    REQUIRE(found != list.published.end());
    CHECK(found->score == bleu);
    CHECK(found->flops.value_or(0) == flops);
  };
  for (const auto& system : systems) {
    check(system, "English to German", system.german, system.german_flops);
    check(system, "English to French", system.french, system.french_flops);
  }
  CHECK(list.published.size() == count);
}

TEST_CASE(
    "the paper's FLOPs of base, reckoned from time, are three and a half times those of its matrix "
    "products") {
  const auto factor = [](const std::string& name, double published) {
    const auto list = table2();
    const auto& experiment = row(list, name).experiment;
    const auto vocabulary = experiment.data.vocabulary;
    return published / (train::reckon_cost(experiment, {vocabulary, vocabulary}, 30).flops *
                        static_cast<double>(experiment.train.steps));
  };
  CHECK(12 * 3600 * 8 * 9.5e12 == Approx(3.2832e18));         // 12 hours on 8 P100
  CHECK(3.5 * 24 * 3600 * 8 * 9.5e12 == Approx(2.29824e19));  // 3.5 days
  CHECK(factor("base", 3.2832e18) == Approx(3.4).margin(0.1));
  CHECK(factor("big", 2.29824e19) == Approx(2.4).margin(0.1));
}

#include "transformer/config/experiment_list.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/config/yaml.h"

using namespace transformer;
using namespace transformer::config;
using transformer::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const fs::path configs = fs::path(SOURCE_DIR) / "configs";

/// A list in a folder with a base.yaml of d_model 64, 8 heads, 6 layers.
struct Lists {
  TemporaryFolder folder;

  Lists() {
    folder.write("base.yaml", "model: {d_model: 64, heads: 8, d_k: 8, d_v: 8}\ndata: {prepared: p}\n");
  }

  ExperimentList load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    return load_experiment_list(folder.write("list.yaml", text), overrides);
  }

  std::string refusal(const std::string& text) const {
    try {
      load(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

std::vector<std::string> names(const ExperimentList& list) {
  std::vector<std::string> all;
  for (const auto& variation : list.variations) all.push_back(variation.name);
  return all;
}

const Variation& find(const ExperimentList& list, const std::string& name) {
  const auto found = std::ranges::find(list.variations, name, &Variation::name);
  REQUIRE(found != list.variations.end());
  return *found;
}

/// Table 3: perplexity, BLEU, parameters in millions (0: not printed).
struct Published {
  double perplexity, bleu, parameters;
};
const std::vector<std::pair<std::string, Published>> table3{{"base", {4.92, 25.8, 65}},
                                                            {"a-heads-1", {5.29, 24.9, 0}},
                                                            {"a-heads-4", {5.00, 25.5, 0}},
                                                            {"a-heads-16", {4.91, 25.8, 0}},
                                                            {"a-heads-32", {5.01, 25.4, 0}},
                                                            {"b-dk-16", {5.16, 25.1, 58}},
                                                            {"b-dk-32", {5.01, 25.4, 60}},
                                                            {"c-layers-2", {6.11, 23.7, 36}},
                                                            {"c-layers-4", {5.19, 25.3, 50}},
                                                            {"c-layers-8", {4.88, 25.5, 80}},
                                                            {"c-dmodel-256", {5.75, 24.5, 28}},
                                                            {"c-dmodel-1024", {4.66, 26.0, 168}},
                                                            {"c-dff-1024", {5.12, 25.4, 53}},
                                                            {"c-dff-4096", {4.75, 26.2, 90}},
                                                            {"d-dropout-0.0", {5.77, 24.6, 0}},
                                                            {"d-dropout-0.2", {4.95, 25.5, 0}},
                                                            {"d-smoothing-0.0", {4.67, 25.3, 0}},
                                                            {"d-smoothing-0.2", {5.47, 25.7, 0}},
                                                            {"e-learned-positions", {4.92, 25.7, 0}},
                                                            {"big", {4.33, 26.4, 213}}};

}  // namespace

TEST_CASE("the list of Table 3 has the paper's rows and figures, in its order") {
  const auto list = load_experiment_list(configs / "table3" / "table.yaml");
  REQUIRE(list.variations.size() == table3.size());
  for (std::size_t i = 0; i < table3.size(); ++i) {
    const auto& [name, published] = table3[i];
    const auto& row = list.variations[i];
    CAPTURE(name);
    CHECK(row.name == name);
    CHECK(row.experiment == load_experiment(configs / "table3" / (name + ".yaml")));
    CHECK(row.seeds == std::vector<std::int64_t>{1});
    CHECK(row.paper.perplexity == published.perplexity);
    CHECK(row.paper.bleu == published.bleu);
    CHECK(row.paper.parameters.value_or(0) == published.parameters);
    CHECK(row.group ==
          (name == "base" || name == "big" ? "" : std::string(1, static_cast<char>(std::toupper(name[0])))));
  }
}

TEST_CASE("the relative rows, of the paper's base, are the paper's rows") {
  const TemporaryFolder folder;
  const auto file = folder.write("list.yaml", "extends: " + (configs / "table3" / "relative.yaml").string() +
                                                  "\nbase: " + (configs / "base.yaml").string() + "\n");
  const auto list = load_experiment_list(file);
  REQUIRE(list.variations.size() == table3.size());
  for (std::size_t i = 0; i < table3.size(); ++i) {
    CAPTURE(table3[i].first);
    const auto& row = list.variations[i];
    // How often the big model is saved is the paper's 10 minutes, and no multiple of what another base says.
    auto paper = load_experiment(configs / "table3" / (table3[i].first + ".yaml"));
    CHECK(paper.train.save_every == (table3[i].first == "big" ? 600 : 1500));
    CHECK(paper.train.eval_every == paper.train.save_every);
    paper.train.save_every = paper.train.eval_every = 1500;
    CHECK(differences(row.experiment, paper).empty());
    CHECK(row.paper.perplexity == table3[i].second.perplexity);
    CHECK(row.paper.bleu == table3[i].second.bleu);
  }
}

TEST_CASE("the miniature has the same rows of a base of its own") {
  const auto list = load_experiment_list(configs / "table3-mini" / "table.yaml");
  REQUIRE(list.variations.size() == table3.size());
  const auto& base = list.variations.front();
  CHECK(base.seeds == std::vector<std::int64_t>{1, 2});
  CHECK(find(list, "a-heads-eighth").experiment.model.heads == base.experiment.model.heads / 8);
  CHECK(find(list, "a-heads-eighth").experiment.model.d_k == base.experiment.model.d_k * 8);
  CHECK(find(list, "c-layers-third").experiment.model.decoder_layers ==
        base.experiment.model.decoder_layers / 3);
  CHECK(find(list, "big").experiment.model.dropout == 0.3);
}

TEST_CASE("the baseline comes first, whether it is listed or not") {
  const Lists lists;
  CHECK(names(lists.load("base: base.yaml\n")) == std::vector<std::string>{"base"});
  CHECK(names(lists.load("base: base.yaml\nexperiments: [{name: a}, {name: base}, {name: b}]\n")) ==
        std::vector<std::string>{"base", "a", "b"});
}

TEST_CASE("settings are laid over the base, the nearest last") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nset: {train.steps: 10, model: {d_ff: 100}}\nexperiments:\n"
      "  - {name: a, set: {model: {d_ff: 200, layers: 1}}}\n  - {name: b, scale: {model.d_ff: 3}}\n",
      {"train.warmup=7"});
  CHECK(find(list, "base").experiment.train.steps == 10);
  CHECK(find(list, "base").experiment.train.warmup == 7);
  CHECK(find(list, "base").experiment.model.d_model == 64);
  CHECK(find(list, "a").experiment.model.d_ff == 200);
  CHECK(find(list, "a").experiment.model.decoder_layers == 1);
  CHECK(find(list, "b").experiment.model.d_ff == 300);
}

TEST_CASE("lists of values make a grid") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nexperiments:\n  - {name: g, set: {model.heads: [2, 4], train.clip: 1, model.dropout: "
      "[0, 0.5]}}\n");
  CHECK(names(list) == std::vector<std::string>{"base", "g.heads=2,dropout=0", "g.heads=2,dropout=0.5",
                                                "g.heads=4,dropout=0", "g.heads=4,dropout=0.5"});
  CHECK(list.variations[3].experiment.model.heads == 4);
  CHECK(list.variations[3].experiment.model.dropout == 0);
  CHECK(list.variations[3].experiment.train.clip == 1);
}

TEST_CASE("seeds are a number, or a list, or an experiment's own") {
  const Lists lists;
  const auto list =
      lists.load("base: base.yaml\nseeds: 2\nexperiments: [{name: a, seeds: [7, 5]}, {name: b}]\n");
  CHECK(find(list, "base").seeds == std::vector<std::int64_t>{1, 2});
  CHECK(find(list, "a").seeds == std::vector<std::int64_t>{7, 5});
  CHECK(find(list, "b").seeds == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("a list may extend another, and add to its experiments") {
  const Lists lists;
  fs::create_directory(lists.folder.path() / "far");
  lists.folder.write("far/rows.yaml",
                     "base: ../base.yaml\noutput: out\naverage: 3\nexperiments:\n"
                     "  - {name: a, group: A, set: {model.d_ff: 10}, paper: {bleu: 1.5}}\n  - {name: b}\n");
  const auto list =
      lists.load("extends: far/rows.yaml\nexperiments:\n  - {name: a, set: {model.d_k: 4}}\n  - {name: c}\n");
  CHECK(names(list) == std::vector<std::string>{"base", "a", "b", "c"});
  CHECK(list.output == lists.folder.path() / "far" / "out");
  CHECK(list.average == 3);
  const auto& a = find(list, "a");
  CHECK(a.experiment.model.d_ff == 10);
  CHECK(a.experiment.model.d_k == 4);
  CHECK(a.group == "A");
  CHECK(a.paper.bleu == 1.5);
}

TEST_CASE("paths in a list are relative to it") {
  const Lists lists;
  const auto list =
      lists.load("base: base.yaml\noutput: here/out\nexperiments: [{name: a, set: {data.prepared: q}}]\n");
  CHECK(list.output == lists.folder.path() / "here" / "out");
  CHECK(find(list, "a").experiment.data.prepared == (lists.folder.path() / "q").string());
  CHECK(find(list, "base").experiment.data.prepared == (lists.folder.path() / "p").string());
}

TEST_CASE("what is wrong in a list is named with its place") {
  const Lists lists;
  const std::map<std::string, std::string> cases{
      {"experiments: []\n", "key 'base': expected an experiment's file"},
      {"base: nowhere.yaml\n", "nowhere.yaml"},
      {"base: base.yaml\nbases: 3\n", "list.yaml:2: key 'bases': unknown; expected one of average, base,"},
      {"base: base.yaml\nexperiments: 3\n", "list.yaml:2: key 'experiments': expected a list, found '3'"},
      {"base: base.yaml\nexperiments:\n - {set: {}}\n",
       "list.yaml:3: key 'name': expected one that can be a folder's"},
      {"base: base.yaml\nexperiments:\n - {name: ../x}\n", "found '../x'"},
      {"base: base.yaml\nexperiments:\n - {name: a}\n - {name: a}\n",
       "list.yaml:4: key 'name': 'a' stands already at"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.headz: 3}}\n",
       "list.yaml:3: key 'model.headz': unknown; did you mean 'model.heads'?"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.heads: x}}\n",
       "list.yaml:3: --set model.heads=x: key 'model.heads': expected a whole number"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {model.heads: []}}\n", "found an empty list"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: 3}\n",
       "key 'set': expected keys with values, found '3'"},
      {"base: base.yaml\nexperiments:\n - {name: a, set: {seed: 3}}\n", "expected 'seeds'"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {model.heads: 1/3}}\n",
       "found 8 · 0.3333 = 2.66666666667"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {model.heads: -1}}\n",
       "expected a factor above 0"},
      {"base: base.yaml\nexperiments:\n - {name: a, scale: {model.positions: 2}}\n",
       "expected a number to scale, found interleaved"},
      {"base: base.yaml\nexperiments:\n - {name: base, set: {model.heads: [1, 2]}}\n",
       "expected no grid in the experiment 'base'"},
      {"base: base.yaml\nseeds: 0\n", "list.yaml:2: key 'seeds'"},
      {"base: base.yaml\nseeds: [1, 1]\n", "1 stands twice"},
      {"base: base.yaml\naverage: 0\n", "key 'average': expected a whole number from 1 to 1000000"},
      {"base: base.yaml\nset: {model.heads: [1, 2]}\n", "expected one value for all experiments"},
      {"extends: list.yaml\n", "circular"},
      {"extends: nowhere.yaml\n", "list.yaml:1: key 'extends': expected a file, found none at /"},
      {"base: base.yaml\nexperiments:\n - {name: a, paper: {blue: 3}}\n", "key 'blue': unknown"},
      {"base: base.yaml\nexperiments: [\n", "not valid YAML"},
      {"- a\n", "expected keys with values, found a list"}};
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    const auto found = lists.refusal(text);
    CHECK_THAT(found, ContainsSubstring(message));
    CHECK(found.find('\n') == std::string::npos);
  }
}

#include "tests/catch.h"
#include "tests/experiments/lists.h"
#include "transformer/config/yaml.h"
#include "transformer/experiments/experiment_list.h"

namespace transformer::experiments {
namespace {

using test::find;
using test::Lists;
using test::names;

using Layers = std::pair<std::int64_t, std::int64_t>;

Layers layers_of(const Variation& variation) {
  return {variation.experiment.model.encoder_layers, variation.experiment.model.decoder_layers};
}

// The setting closest to the run wins, even if another key says the same thing.
TEST_CASE("a row's model.layers wins over a stack's layers of the list, and --set over both") {
  const Lists lists;
  const std::string list = "base: base.yaml\nset: {model.encoder_layers: 3}\nexperiments:\n";
  CHECK(layers_of(find(lists.load(list + "  - {name: a, set: {model.layers: 2}}\n"), "a")) == Layers{2, 2});
  CHECK(layers_of(find(lists.load(list + "  - {name: a, set: {model.decoder_layers: 1}}\n"), "a")) ==
        Layers{3, 1});
  CHECK(layers_of(find(lists.load(list + "  - {name: a, set: {model.decoder_layers: 1, model.layers: 2}}\n"),
                       "a")) == Layers{2, 1});
  CHECK(layers_of(find(
            lists.load(list + "  - {name: a, set: {model.encoder_layers: 4}}\n", {"model.layers=5"}), "a")) ==
        Layers{5, 5});
}

TEST_CASE("scaled layers win over a stack's layers of the list") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nset: {model.encoder_layers: 2, model.decoder_layers: 2}\n"
      "experiments: [{name: a, scale: {model.layers: 2}}]\n");
  CHECK(layers_of(find(list, "base")) == Layers{2, 2});
  CHECK(layers_of(find(list, "a")) == Layers{4, 4});
}

TEST_CASE("what a list says again replaces what the list that it extends says by another key") {
  const Lists lists;
  lists.folder.write("parent.yaml",
                     "base: base.yaml\nset: {model.encoder_layers: 5, train.steps: 100}\n"
                     "experiments:\n  - {name: a, set: {model.encoder_layers: 3, train.epochs: 2}}\n"
                     "  - {name: b, set: {model.decoder_layers: 3}}\n");
  const auto list = lists.load(
      "extends: parent.yaml\nset: {model.layers: 4, train.epochs: 3}\nexperiments:\n"
      "  - {name: a, set: {model.layers: 2, train.steps: 50}}\n  - {name: b, scale: {model.layers: 1/2}}\n"
      "  - {name: c, set: {train.epochs: 0}}\n");
  CHECK(layers_of(find(list, "base")) == Layers{4, 4});
  CHECK(layers_of(find(list, "a")) == Layers{2, 2});
  CHECK(layers_of(find(list, "b")) == Layers{2, 2});
  CHECK(find(list, "base").experiment.train.epochs == 3);
  CHECK(find(list, "a").experiment.train.epochs == 0);
  CHECK(find(list, "a").experiment.train.steps == 50);
  CHECK(find(list, "c").experiment.train.epochs == 0);
  // No epochs leave it to the steps, wherever these are said.
  CHECK(find(lists.load("extends: parent.yaml\nset: {train.epochs: 0}\n"), "base").experiment.train.steps ==
        100);
}

TEST_CASE("of steps and epochs the nearer to a run holds") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nset: {train.steps: 100}\nexperiments: [{name: a, set: {train.epochs: 2}}]\n");
  CHECK(find(list, "base").experiment.train.steps == 100);
  CHECK(find(list, "a").experiment.train.epochs == 2);
  CHECK_THAT(lists.refusal("base: base.yaml\n"
                           "experiments: [{name: a, set: {train.epochs: 2, train.steps: 3}}]\n"),
             ContainsSubstring("expected one of train.steps and train.epochs"));
}

TEST_CASE("rows in proportion take epochs instead of steps, and steps instead of epochs") {
  const Lists lists;
  lists.folder.write("rows.yaml",
                     "base: base.yaml\nset: {train.steps: 100}\n"
                     "experiments:\n  - {name: passes, set: {train.epochs: 2}}\n"
                     "  - {name: longer, set: {train.steps: 300}}\n");
  const auto list = lists.load("base: base.yaml\nrelative: rows.yaml\nset: {train.steps: 20}\n");
  CHECK(find(list, "passes").experiment.train.epochs == 2);
  CHECK(find(list, "longer").experiment.train.steps == 60);
  lists.folder.write("passes.yaml",
                     "base: base.yaml\nset: {train.epochs: 4}\nexperiments:\n"
                     "  - {name: steps, set: {train.steps: 7}}\n  - {name: half, set: {train.epochs: 2}}\n");
  const auto other = lists.load("base: base.yaml\nrelative: passes.yaml\nset: {train.epochs: 6}\n");
  CHECK(find(other, "steps").experiment.train.epochs == 0);
  CHECK(find(other, "steps").experiment.train.steps == 7);
  CHECK(find(other, "half").experiment.train.epochs == 3);
}

TEST_CASE("a training is scaled by what says how long it is") {
  const Lists lists;
  const std::string twice =
      "experiments: [{name: a, scale: {train.steps: 2}}, {name: b, scale: {train.epochs: 2}}]\n";
  const auto epochs = lists.load("base: base.yaml\nset: {train.epochs: 3}\n" + twice);
  CHECK(find(epochs, "a").experiment.train.epochs == 6);
  CHECK(find(epochs, "b").experiment.train.epochs == 6);
  const auto steps = lists.load("base: base.yaml\nset: {train.steps: 300}\n" + twice);
  for (const auto* name : {"a", "b"}) {
    CHECK(find(steps, name).experiment.train.epochs == 0);
    CHECK(find(steps, name).experiment.train.steps == 600);
  }
  CHECK_THAT(lists.refusal("base: base.yaml\nset: {train.epochs: 3}\n"
                           "experiments: [{name: a, scale: {train.steps: 1/2}}]\n"),
             ContainsSubstring("key 'train.steps': expected a whole number") &&
                 ContainsSubstring("found 3 · 0.5 = 1.5"));
}

TEST_CASE("a grid has no one name in proportion, and a row's own seed is none of its changes") {
  const Lists lists;
  lists.folder.write(
      "rows.yaml", "base: base.yaml\nexperiments: [{name: a, relative: x, set: {model.d_ff: [64, 128]}}]\n");
  CHECK_THAT(lists.refusal("base: base.yaml\nrelative: rows.yaml\n"),
             ContainsSubstring("rows.yaml:2: key 'relative': expected one value of model.d_ff beside it"));
  lists.folder.write("seven.yaml", "extends: base.yaml\nseed: 7\n");
  lists.folder.write("rows.yaml", "base: base.yaml\nexperiments: [{name: a, config: seven.yaml}]\n");
  CHECK(find(lists.load("base: base.yaml\nrelative: rows.yaml\n"), "a").experiment.seed == 1);
}

TEST_CASE("rows in proportion take paths and endings as they are") {
  const Lists lists;
  lists.folder.write(
      "rows.yaml",
      "base: base.yaml\nexperiments:\n"
      "  - {name: a, set: {data.prepared: 'odd \"name\\', data.source: de, data.target: en}}\n");
  const auto data = find(lists.load("base: base.yaml\nrelative: rows.yaml\n"), "a").experiment.data;
  CHECK(data.prepared == lists.folder.path() / "odd \"name\\");
  CHECK(data.source == "de");
  CHECK(data.target == "en");
}

TEST_CASE("two rows in proportion with one name are refused") {
  const Lists lists;
  const auto refusal = [&](const std::string& rows) {
    lists.folder.write("rows.yaml", "base: base.yaml\nexperiments:\n" + rows);
    return lists.refusal("base: base.yaml\nrelative: rows.yaml\n");
  };
  CHECK_THAT(refusal("  - {name: x1, relative: x, set: {model.d_ff: 64}}\n"
                     "  - {name: x2, relative: x, set: {model.heads: 4}}\n"),
             ContainsSubstring("rows.yaml:4: key 'relative': expected a name of its own for each experiment, "
                               "found 'x' twice"));
  CHECK_THAT(refusal("  - {name: y1, relative: y2, set: {model.d_ff: 64}}\n"
                     "  - {name: y2, set: {model.heads: 4}}\n"),
             ContainsSubstring("found 'y2' twice"));
  CHECK(refusal("  - {name: y1, relative: y2, set: {model.d_ff: 64}}\n"
                "  - {name: y2, relative: y1, set: {model.heads: 4}}\n") == "accepted");
}

TEST_CASE("variants nest in a list as in a configuration") {
  const Lists lists;
  const auto list = lists.load(
      "base: base.yaml\nexperiments: [{name: a, set: {model: {variants: {norm: mine size=8}}}}]\n");
  CHECK(find(list, "a").experiment.model.variants.norm.name == "mine");
  CHECK_THAT(lists.refusal("base: base.yaml\nexperiments: [{name: a, set: {model: {variants: {nrm: x}}}}]\n"),
             ContainsSubstring("list.yaml:2: key 'model.variants.nrm': unknown"));
}

TEST_CASE("a grid of paths names its runs by the paths' last parts") {
  const Lists lists;
  const auto list =
      lists.load("base: base.yaml\nexperiments: [{name: a, set: {data.train: [x/small, x/large]}}]\n");
  CHECK(names(list) == std::vector<std::string>{"base", "a.train=small", "a.train=large"});
  CHECK(find(list, "a.train=small").experiment.data.train == lists.folder.path() / "x" / "small");
  CHECK_THAT(lists.refusal("base: base.yaml\nexperiments: [{name: a, set: {data.train: [x/t, y/t]}}]\n"),
             ContainsSubstring("a second experiment would be called 'a.train=t'"));
}

}  // namespace
}  // namespace transformer::experiments

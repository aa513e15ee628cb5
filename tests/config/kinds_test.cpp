#include <fstream>

#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "transformer/base/error.h"
#include "transformer/config/departures.h"
#include "transformer/config/unused_keys.h"
#include "transformer/config/yaml.h"
#include "transformer/variants/registry.h"

using namespace transformer;
using namespace transformer::config;

namespace {

/// A kind that reads the width alone.
void add_bag() {
  [[maybe_unused]] static const bool added = [] {
    variants::add(variants::Kind::model,
                  {.name = "bag",
                   .about = "made here",
                   .options = {{.name = "hidden", .standard = std::int64_t{8}, .help = "width", .least = 1}},
                   .keys = {"model.d_model"}},
                  {});
    return true;
  }();
}

Experiment parsed(const std::string& text, const std::vector<std::string>& overrides = {}) {
  add_bag();
  return parse_experiment(text, "c.yaml", overrides);
}

std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parsed(text, overrides);
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a kind of model has a name and options, and comes back as it was written") {
  CHECK_FALSE(parsed("model: {kind: encoder-decoder}").model.kind);
  const auto bag = parsed("model: {kind: bag, d_model: 32}");
  CHECK(variants::print(bag.model.kind) == "bag hidden=8");
  CHECK_THAT(to_yaml(bag), ContainsSubstring("  kind: bag hidden=8\n"));
  CHECK_THAT(to_yaml(Experiment{}), ContainsSubstring("  kind: encoder-decoder\n"));
  CHECK(parse_experiment(to_yaml(bag), "again.yaml") == bag);
  CHECK(refusal("model: {kind: bag hiden=9}") ==
        "c.yaml:1: key 'model.kind': expected the option hidden of bag, found 'hiden'");
  CHECK_THAT(refusal("model: {kind: Bag}"),
             ContainsSubstring("key 'model.kind': expected encoder-decoder, or the name"));
  CHECK(parsed("model: {kind: stranger a=b}").model.kind.name == "stranger");  // a library may bring it
}

TEST_CASE(
    "keys of another kind are refused where they are set beside it, and forgotten where a base has them") {
  CHECK(refusal("model: {kind: bag, heads: 4}") ==
        "c.yaml:1: key 'model.heads': expected 8, its default, with model.kind bag, which does not know the "
        "key, found "
        "'4'");
  CHECK_THAT(refusal("model: {kind: bag}", {"model.layers=2"}),
             ContainsSubstring("--set model.layers=2: key 'model.encoder_layers'"));
  CHECK(refusal("model: {kind: bag, heads: 8, d_model: 30}") == "accepted");
  const auto row = parsed("model: {heads: 4, layers: 2, d_model: 32}", {"model.kind=bag"});
  CHECK(row.model.heads == Experiment{}.model.heads);
  CHECK(row.model.encoder_layers == 6);
  CHECK(row.model.d_model == 32);
  // What the paper's model demands of its keys is nothing to another.
  CHECK(refusal("data: {shared_vocabulary: false}\nmodel: {kind: bag, d_model: 33}") == "accepted");
}

TEST_CASE("a key that says nothing is refused on a command line, and may stand in a base for its rows") {
  const test::TemporaryFolder folder;
  const auto file = (folder.path() / "base.yaml").string();
  std::ofstream(file) << "model: {max_positions: 128, relative_distance: 4}\n";
  CHECK(load_given_experiment(file, {}).model.max_positions == 128);
  CHECK(load_given_experiment(file, {"model.positions=learned", "model.max_positions=300"})
            .model.max_positions == 300);
  CHECK_THROWS_WITH(
      load_given_experiment(file, {"model.relative_distance=8"}),
      "--set model.relative_distance=8: key 'model.relative_distance': expected 16, its default, unless "
      "model.positions is relative, found '8'");
  CHECK_THROWS_WITH(load_given_experiment(file, {"model.max_positions=64"}),
                    ContainsSubstring("unless model.positions is learned"));
  CHECK(load_given_experiment(file, {"model.max_positions=346"}).model.max_positions == 346);
}

TEST_CASE("another kind departs from the paper as a whole, and not by its sizes") {
  add_bag();
  CHECK(departures(parsed("model: {kind: bag, d_model: 32}")) ==
        std::vector<std::string>{"bag hidden=8, in the place of the paper's "
                                 "encoder-decoder (3): made here"});
}

// data.train as one text and as several, and data.weights.
#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/config/yaml.h"

using namespace transformer;
using namespace transformer::config;

namespace {

using Texts = std::vector<std::string>;

data::DataOptions data_of(const std::string& text, const std::vector<std::string>& set = {}) {
  return parse_experiment(text, "/folder/c.yaml", set).data;
}

}  // namespace

TEST_CASE("training texts are one path or a list of paths, relative to their file") {
  CHECK(train_texts(data_of("data: {train: a}")) == Texts{"/folder/a"});
  CHECK(train_texts(data_of("data: {train: [a, ../b, /c]}")) == Texts{"/folder/a", "/b", "/c"});
  CHECK(train_texts(data_of("data: {train: ['a, b', c]}")) == Texts{"/folder/a, b", "/folder/c"});
  CHECK(train_texts(data_of("data: {train: [a]}")) == Texts{"/folder/a"});
  CHECK(data_of("data: {train: []}").train.empty());
  for (const auto* text : {"data: {train: [a, '']}", "data: {train: [a, {b: c}]}"})
    CHECK_THROWS_WITH(data_of(text),
                      ContainsSubstring("c.yaml:1: key 'data.train': expected a path, or a list"));
}

TEST_CASE("weights are a list or one text, a number for each training text") {
  const std::string two = "data: {train: [a, b], weights: ";
  CHECK(data_of(two + "[1, 0.1]}").weights == std::vector<double>{1, 0.1});
  CHECK(data_of("data: {train: [a, b]}", {"data.weights=2, 0.5"}).weights == std::vector<double>{2, 0.5});
  CHECK(data_of(two + "none}").weights.empty());
  CHECK(data_of("data: {train: a, weights: 0.5}").weights == std::vector<double>{0.5});
  for (const auto* wrong : {"[1]", "[1, 2, 3]"})
    CHECK_THROWS_WITH(
        data_of(two + wrong + "}"),
        ContainsSubstring("'data.weights': expected a number for each text of data.train, 2, found"));
  for (const auto* wrong : {"[1, 0]", "[1, -1]", "[1, x]", "[1, 1001]", "[1, '']"})
    CHECK_THROWS_WITH(
        data_of(two + wrong + "}"),
        ContainsSubstring("'data.weights': expected none, or a list of numbers above 0 to 1000"));
  CHECK_THROWS_WITH(data_of("model: {kind: decoder}\ndata: {examples: documents, block: 8, train: [a, b], "
                            "weights: [1, 0.1]}"),
                    ContainsSubstring("expected none where blocks cut the texts (data.block: 8)"));
}

TEST_CASE("texts and weights are written so that they read back") {
  for (const auto* text : {"data: {train: 'a: b'}", "data: {train: [a, 'b #, c'], weights: [1, 0.25]}",
                           "data: {train: [a, b]}"}) {
    const auto experiment = parse_experiment(text, "/folder/c.yaml");
    CHECK(parse_experiment(to_yaml(experiment), "/elsewhere/again.yaml") == experiment);
  }
}

TEST_CASE("a run's weights are its own, and its texts may move") {
  const auto one = parse_experiment("data: {train: [a, b], weights: [1, 0.5]}", "/folder/c.yaml");
  const auto moved = parse_experiment("data: {train: [a, b], weights: [1, 0.5]}", "/other/c.yaml");
  const auto other = parse_experiment("data: {train: [a, b], weights: [1, 0.25]}", "/folder/c.yaml");
  CHECK(differences_in_weights(one, moved).empty());
  REQUIRE(differences_in_weights(one, other).size() == 1);
  CHECK(differences_in_weights(one, other)[0].key == "data.weights");
}

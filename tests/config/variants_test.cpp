// Parts from outside in a configuration.
#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/config/departures.h"
#include "transformer/config/keys.h"
#include "transformer/config/yaml.h"
#include "transformer/variants/registry.h"

using namespace transformer;
using namespace transformer::config;

namespace {

void add_one() {
  static const bool added = [] {
    variants::add(variants::Kind::norm,
                  {.name = "mine",
                   .about = "made here",
                   .options = {{.name = "size", .standard = 8, .help = "how large", .least = 1},
                               {.name = "rate", .standard = 0.5, .help = "how fast"}}},
                  [](const variants::Place&, const variants::Values&) { return 0; });
    return true;
  }();
  static_cast<void>(added);
}

std::string norm_of(const std::string& text) {
  add_one();
  return variants::print(parse_experiment(text, "c.yaml").model.variants.norm);
}

std::string refusal(const std::string& text) {
  try {
    return "accepted: " + norm_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("variants are a section, or keys with a dot, and keep all of their options") {
  const std::string whole = "mine rate=0.5 size=9";
  CHECK(norm_of("model: {variants: {norm: mine size=9}}") == whole);
  CHECK(norm_of("model:\n  variants.norm: mine size=9\n") == whole);
  CHECK(norm_of("model: {variants: {norm: \"mine size=9\"}}") == whole);
  CHECK(norm_of("model: {variants: {norm: none}}") == "none");
  CHECK(norm_of("model: {variants: {attention: none}}") == "none");
  CHECK(norm_of("model: {variants: {norm: stranger a=b}}") == "stranger a=b");  // somebody else may know it
  CHECK(variants::print(
            parse_experiment("", "c.yaml", {"model.variants.norm=mine rate=1"}).model.variants.norm) ==
        "mine rate=1 size=8");
  const auto experiment =
      parse_experiment("", "c.yaml", {"model.variants.norm=mine", "model.variants.attention=stranger"});
  CHECK(parse_experiment(to_yaml(experiment), "again.yaml") == experiment);
  CHECK(differences_in_weights(experiment, {}).size() == 2);
}

TEST_CASE("what is wrong with a variant is named with its file and line") {
  CHECK(refusal("model:\n  variants:\n    norm: mine sise=9\n") ==
        "c.yaml:3: key 'model.variants.norm': expected the option size or rate of mine, found 'sise'");
  CHECK(refusal("model: {variants.norm: mine size=0}") ==
        "c.yaml:1: key 'model.variants.norm': expected a whole number from 1 for size of mine, found '0'");
  CHECK_THAT(
      refusal("model: {variants.norm: Mine}"),
      ContainsSubstring("c.yaml:1: key 'model.variants.norm': expected none, or the name of a variant") &&
          ContainsSubstring("found 'Mine'"));
  CHECK_THAT(refusal("model: {variants: {norn: mine}}"),
             ContainsSubstring("unknown; did you mean 'model.variants.norm'?"));
  CHECK_THAT(refusal("model: {variants: mine}"), ContainsSubstring("expected keys below it"));
  CHECK_THAT(refusal("model: {variants.norm: mine, variants: {norm: mine}}"),
             ContainsSubstring("stands already"));
}

TEST_CASE("variants are departures from the paper") {
  add_one();
  CHECK(departures(parse_experiment("", "c.yaml",
                                    {"model.variants.norm=mine", "model.variants.positions=stranger"})) ==
        std::vector<std::string>{
            "mine rate=0.5 size=8, a variant from outside, in the place of layer normalisation: made here",
            "stranger, a variant from outside, in the place of the vectors that the paper adds to the "
            "embeddings "
            "(3.5)"});
}

TEST_CASE("sinusoids' demands on sizes are not those of positions from outside") {
  CHECK(parse_experiment("", "c.yaml", {"model.variants.positions=stranger", "model.d_model=33"})
            .model.d_model == 33);
  const auto learned = parse_experiment(
      "", "c.yaml",
      {"model.variants.positions=stranger", "model.positions=learned", "model.max_positions=10"});
  CHECK_FALSE(models::longest_sequence(learned.model));
}

TEST_CASE("the printed reference names the variants that are known") {
  add_one();
  CHECK_THAT(describe_keys(), ContainsSubstring("model.variants.norm: mine    made here"));
}

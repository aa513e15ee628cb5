#include "transformer/config/parameter_groups.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/config/yaml.h"

using namespace transformer;
using namespace transformer::config;

namespace {

using Groups = std::vector<train::ParameterGroup>;

Groups groups_of(const std::string& text) {
  return parse_experiment(text, "c.yaml").train.groups;
}

}  // namespace

TEST_CASE("groups are a list in a file, or one text with commas") {
  const Groups two{{.pattern = "*norm*", .weight_decay = 0.0}, {.pattern = "*.bias", .rate = 2.5}};
  CHECK(groups_of("train: {groups: [\"*norm* weight_decay=0\", \"*.bias rate=2.5\"]}") == two);
  CHECK(groups_of("train:\n  groups:\n    - '*norm* weight_decay=0'\n    - '*.bias rate=2.5'\n") == two);
  CHECK(
      parse_experiment("", "c.yaml", {"train.groups=*norm*  weight_decay=0, *.bias rate=2.5"}).train.groups ==
      two);
  CHECK(groups_of("train: {groups: none}").empty());
  CHECK(groups_of("train: {groups: []}").empty());
  CHECK(groups_of("").empty());
}

TEST_CASE("groups are written so that they read back") {
  for (const auto* text :
       {"none", "a rate=1", "*a? rate=0.1 weight_decay=0.01", "a rate=0,b-c_d weight_decay=0"}) {
    const auto groups = parse_groups(text);
    REQUIRE(groups);
    CHECK(print_groups(*groups) == text);
    auto experiment = parse_experiment("", "c.yaml");
    experiment.train.groups = *groups;
    CHECK(parse_experiment(to_yaml(experiment), "again.yaml") == experiment);
  }
}

TEST_CASE("what is no group is refused with its file and line") {
  for (const auto* text : {"a", "rate=1", "a rate", "a rate=x", "a rate=-1", "a rate=1 rate=2", "a decay=1",
                           "a b rate=1", "a,b rate=1", ",a rate=1", "a/b rate=1", "a rate=inf"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_groups(text));
  }
  CHECK_THROWS_WITH(groups_of("train: {groups: ['*norm*']}"),
                    ContainsSubstring("c.yaml:1: key 'train.groups': expected none, or patterns of names") &&
                        ContainsSubstring("found '*norm*'"));
}

TEST_CASE("patterns of names are read and written, and what is no pattern is refused") {
  using Patterns = std::vector<std::string>;
  CHECK(parse_patterns("*.query.weight, *.value.weight") == Patterns{"*.query.weight", "*.value.weight"});
  CHECK(parse_patterns("none") == Patterns{});
  CHECK(parse_patterns("") == Patterns{});
  for (const auto* text : {"none", "*", "a?.b,c-d_*"}) CHECK(print_patterns(*parse_patterns(text)) == text);
  for (const auto* text : {"a b", "a/b", ",", "a,,b", "a rate=1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_patterns(text));
  }
  auto experiment = parse_experiment("train: {adapters: ['*.query.weight', '*.key.weight']}", "c.yaml");
  CHECK(experiment.train.adapters == Patterns{"*.query.weight", "*.key.weight"});
  CHECK(parse_experiment(to_yaml(experiment), "again.yaml") == experiment);
}

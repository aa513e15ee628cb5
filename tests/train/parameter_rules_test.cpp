#include "transformer/train/parameter_rules.h"

#include "tests/catch.h"
#include "transformer/base/error.h"

namespace transformer::train {
namespace {

const std::vector<std::pair<std::string, std::int64_t>> kParameters{
    {"embedding.weight", 2}, {"norm.weight", 1}, {"norm.bias", 1}, {"positions.table", 2}};

TEST_CASE("a pattern fits whole names") {
  CHECK(fits("norm.bias", "norm.bias"));
  CHECK_FALSE(fits("norm", "norm.bias"));
  CHECK_FALSE(fits("norm.bias", "norm"));
  CHECK(fits("*", ""));
  CHECK(fits("norm*", "norm"));
  CHECK(fits("*.bias", "a.b.bias"));
  CHECK(fits("*norm*", "layers.0.norm.weight"));
  CHECK(fits("layers.?.a*b*c", "layers.7.a.b.b.c"));
  CHECK_FALSE(fits("layers.?.*", "layers.10.norm"));
  CHECK_FALSE(fits("*a", "ab"));
  CHECK_FALSE(fits("", "a"));
  CHECK(fits("", ""));
  const std::string stars(40, '*'), many = stars + "a" + stars + "a" + stars + "x";
  CHECK_FALSE(fits(many, std::string(10'000, 'a')));
}

TEST_CASE("without groups a decay falls on matrices") {
  const auto rules = rules_of(kParameters, {}, 0.1);
  REQUIRE(rules.size() == 4);
  for (const auto& [i, decay] : {std::pair{0U, 0.1}, {1U, 0.0}, {2U, 0.0}, {3U, 0.1}}) {
    CHECK(rules[i].rate == 1.0);
    CHECK(rules[i].weight_decay == decay);
  }
  CHECK(rules[0].group == rules[3].group);
  CHECK(rules[1].group == rules[2].group);
  CHECK(rules[0].group < rules[1].group);
}

TEST_CASE("the first pattern that fits counts; what it does not say is as without a group") {
  const auto rules = rules_of(kParameters,
                              {{.pattern = "*.bias", .rate = 2.0},
                               {.pattern = "norm*", .weight_decay = 0.3},
                               {.pattern = "pos*", .rate = 0.5}},
                              0.1);
  CHECK(rules[0].rate == 1.0);
  CHECK(rules[0].weight_decay == 0.1);
  CHECK(rules[1].rate == 1.0);
  CHECK(rules[1].weight_decay == 0.3);
  CHECK(rules[2].rate == 2.0);
  CHECK(rules[2].weight_decay == 0.0);
  CHECK(rules[3].rate == 0.5);
  CHECK(rules[3].weight_decay == 0.1);
  for (std::size_t i = 0; i < rules.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK(rules[i].group != rules[j].group);
}

TEST_CASE("a pattern that fits nothing, or nothing that is left, is named") {
  CHECK_THROWS_AS(rules_of(kParameters, {{.pattern = "nrm*"}}, 0.0), InputError);
  CHECK_THROWS_WITH(rules_of(kParameters, {{.pattern = "nrm*"}}, 0.0),
                    "train.groups: expected a pattern that fits the name of a parameter which no pattern "
                    "before it fits, found 'nrm*'; a name is 'positions.table'");
  CHECK_THROWS_WITH(rules_of(kParameters, {{.pattern = "norm*"}, {.pattern = "*.bias"}}, 0.0),
                    ContainsSubstring("found '*.bias'"));
}

}  // namespace
}  // namespace transformer::train

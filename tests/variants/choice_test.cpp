#include "transformer/variants/choice.h"

#include "tests/catch.h"

using namespace transformer::variants;

TEST_CASE("a choice is a name and its options") {
  const auto choice = parse("  local window=8   scale=1e-3 kind=a/b ");
  REQUIRE(choice);
  CHECK(choice->name == "local");
  CHECK(choice->options ==
        std::map<std::string, std::string>{{"kind", "a/b"}, {"scale", "1e-3"}, {"window", "8"}});
  CHECK(print(*choice) == "local kind=a/b scale=1e-3 window=8");
  CHECK(parse(print(*choice)) == choice);
}

TEST_CASE("none and nothing are the paper's") {
  for (const auto* text : {"none", "", "  "}) {
    REQUIRE(parse(text));
    CHECK_FALSE(*parse(text));
    CHECK(print(*parse(text)) == "none");
  }
}

TEST_CASE("what is no choice is refused") {
  for (const auto* text :
       {"Local", "8", "local window", "local window=", "local =8", "local window=8 window=9", "none window=8",
        "local window=\"8\"", "local window=8;", "local\twindow=8", "a: b", "ä"}) {
    INFO(text);
    CHECK_FALSE(parse(text));
  }
}

TEST_CASE("each kind has its key and its choice") {
  Choices choices;
  CHECK(chosen(choices).empty());
  choices.norm = *parse("rms");
  choices.attention = *parse("local window=8");
  CHECK(describe(choices) ==
        std::vector<std::string>{"model.variants.attention: local window=8", "model.variants.norm: rms"});
  const TrainChoices training{.schedule = *parse("wsd decay=0.1")};
  REQUIRE(chosen(training).size() == 1);
  CHECK(chosen(training)[0] == std::pair{Kind::schedule, training.schedule});
  CHECK(key_of(Kind::feed_forward) == "model.variants.feed_forward");
  CHECK(key_of(Kind::positions) == "model.variants.positions");
  CHECK(key_of(Kind::optimizer) == "train.variants.optimizer");
}

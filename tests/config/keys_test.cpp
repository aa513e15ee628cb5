#include "transformer/config/keys.h"

#include <set>

#include "tests/catch.h"

using namespace transformer::config;

TEST_CASE("keys have distinct names, a line of help and a default that they accept") {
  std::set<std::string> names;
  for (const Key& key : keys()) {
    CAPTURE(key.name);
    CHECK(names.insert(key.name).second);
    CHECK_FALSE(key.help.empty());
    CHECK(key.help.find('\n') == std::string::npos);
    CHECK_FALSE(key.expected.empty());
    CHECK(find_key(key.name) == &key);
    Experiment experiment;
    auto text = key.get(experiment);
    if (!text.empty() && text.front() == '"') text = text.substr(1, text.size() - 2);
    CHECK(key.set(experiment, {.text = text}));
    CHECK(experiment == Experiment{});
  }
  CHECK(find_key("model.headz") == nullptr);
}

TEST_CASE("the nearest key is found over misspelling and a wrong section") {
  CHECK(nearest_key("model.headz") == "model.heads");
  CHECK(nearest_key("heads") == "model.heads");
  CHECK(nearest_key("train.heads") == "model.heads");
  CHECK(nearest_key("model.beam") == "decode.beam");
  CHECK(nearest_key("train.label_smooting") == "train.label_smoothing");
  CHECK(nearest_key("sead") == "seed");
  CHECK(nearest_key("extend") == "extends");
  CHECK(nearest_section("modle") == "model");
  CHECK(nearest_section("training") == "train");
}

TEST_CASE("a suggestion for an endless name takes no time") {
  const std::string endless(10'000'000, 'x');
  CHECK(find_key(nearest_key(endless)) != nullptr);
  CHECK(is_section(nearest_section(endless)));
}

TEST_CASE("sections are not keys") {
  CHECK(is_section("model"));
  CHECK_FALSE(is_section("seed"));
  CHECK_FALSE(is_section("model.heads"));
  CHECK_FALSE(is_section(""));
}

TEST_CASE("the printed reference names every key with its default") {
  const auto text = describe_keys();
  for (const Key& key : keys()) CHECK_THAT(text, ContainsSubstring(key.name + " "));
  CHECK_THAT(text, ContainsSubstring("Adam's (default: 0.98)"));
  CHECK_THAT(text, ContainsSubstring("one of interleaved, halves, tensor2tensor, learned"));
}

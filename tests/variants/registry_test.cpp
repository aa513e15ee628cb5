#include "transformer/variants/registry.h"

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/models/size.h"

using namespace transformer;
using namespace transformer::variants;

namespace {

Declaration sample(const std::string& name) {
  return {
      .name = name,
      .about = "a sample",
      .options = {{.name = "size", .standard = 8, .help = "a number", .least = 1, .most = 100},
                  {.name = "rate", .standard = 0.5, .help = "another", .least = 0},
                  {.name = "fast", .standard = true, .help = "or not"},
                  {.name = "shape", .standard = "round", .help = "a word", .choices = {"round", "square"}}}};
}

/// As many numbers as the model is wide, times the size.
std::int64_t count(const Place& place, const Values& values) {
  return place.d_model * values.integer("size");
}

void add_samples() {
  static const bool added = [] {
    add(Kind::feed_forward, sample("sample"), count);
    auto with_flops = sample("counted");
    with_flops.flops = [](const Place& place, const Values& values) {
      return Flops{.token = static_cast<double>(place.d_model * values.integer("size")), .pair = 7};
    };
    add(Kind::feed_forward, with_flops, count);
    add(Kind::attention, with_flops, count);
    return true;
  }();
  static_cast<void>(added);
}

Choice choice(const std::string& text) {
  add_samples();
  return *parse(text);
}

std::string problem(const std::string& text) {
  return find_problem(choice(text), Kind::feed_forward).value_or("");
}

}  // namespace

TEST_CASE("options have their defaults, and the types that they were declared with") {
  const auto values = values_of(choice("sample size=3 fast=false"), Kind::feed_forward);
  CHECK(values.integer("size") == 3);
  CHECK(values.real("rate") == 0.5);
  CHECK_FALSE(values.flag("fast"));
  CHECK(values.word("shape") == "round");
  CHECK_THROWS_AS(values.real("size"), std::logic_error);
  CHECK_THROWS_AS(values.flag("other"), std::logic_error);
}

TEST_CASE("a configuration keeps all of a variant's options, as far as it is known") {
  CHECK(print(complete(choice("sample rate=2"), Kind::feed_forward)) ==
        "sample fast=true rate=2 shape=round size=8");
  CHECK(print(complete(choice("unknown a=b"), Kind::feed_forward)) == "unknown a=b");
  CHECK(print(complete(choice("sample a=b"), Kind::feed_forward)) == "sample a=b");
}

TEST_CASE("what is known can be read with its options") {
  add_samples();
  const auto text = describe_known();
  CHECK_THAT(text, ContainsSubstring("model.variants.feed_forward: sample    a sample\n"));
  CHECK_THAT(text, ContainsSubstring(" size=8  a number (a whole number from 1 to 100)\n"));
}

TEST_CASE("an option that cannot be is named with what was expected") {
  CHECK(problem("sample").empty());
  CHECK(problem("unknown a=b").empty());  // nobody can tell
  CHECK(problem("sample sise=8") ==
        "expected the option size or rate or fast or shape of sample, found 'sise'");
  CHECK(problem("sample size=0") == "expected a whole number from 1 to 100 for size of sample, found '0'");
  CHECK(problem("sample size=8.5") ==
        "expected a whole number from 1 to 100 for size of sample, found '8.5'");
  CHECK(problem("sample rate=-1") == "expected a number from 0 for rate of sample, found '-1'");
  CHECK(problem("sample rate=nan") == "expected a number from 0 for rate of sample, found 'nan'");
  CHECK(problem("sample fast=1") == "expected true or false for fast of sample, found '1'");
  CHECK(problem("sample shape=oval") == "expected one of round, square for shape of sample, found 'oval'");
}

TEST_CASE("a variant that is not known is named with its options and the way to it") {
  CHECK_THROWS_WITH(
      values_of(choice("unknown a=b"), Kind::norm),
      "model.variants.norm: expected a variant that this program knows, found 'unknown a=b': --load "
      "names the shared library that has it");
  CHECK_THROWS_AS(values_of(choice("sample"), Kind::norm), InputError);  // of another kind
  CHECK_THROWS_WITH(values_of(choice("sample size=x"), Kind::feed_forward),
                    ContainsSubstring("model.variants.feed_forward: expected a whole number"));
}

TEST_CASE("names and defaults that cannot be are refused") {
  add_samples();
  const auto refused = [](Declaration declaration, const std::string& message) {
    CHECK_THROWS_WITH(add(Kind::feed_forward, std::move(declaration), count), ContainsSubstring(message));
  };
  refused(sample("sample"), "found a second 'sample'");
  for (const auto* name : {"", "none", "Big", "two words"})
    refused(sample(name), "expected a variant's name");
  auto twice = sample("twice");
  twice.options.push_back(twice.options.front());
  refused(twice, "found 'size'");
  auto outside = sample("outside");
  outside.options.front().standard = 0;
  refused(outside, "outside: expected a whole number from 1 to 100 as the default of size, found '0'");
  auto blank = sample("blank");
  blank.options.back() = {.name = "shape", .standard = "two words", .help = ""};
  refused(blank, "found 'two words'");
}

TEST_CASE("models are counted with what a variant has and declares") {
  models::ModelOptions options{.encoder_layers = 2, .decoder_layers = 3, .d_model = 10};
  const models::VocabularySizes vocabulary{50, 50};
  const auto plain = models::count_parameters(options, vocabulary);
  const auto tokens = models::even_pairs(100, 4);
  options.variants.feed_forward = choice("counted size=5");
  const auto counted = models::count_parameters(options, vocabulary);
  CHECK(counted.of(models::ModelPart::encoder_feed_forward) == 2 * 50);
  CHECK(counted.of(models::ModelPart::decoder_feed_forward) == 3 * 50);
  CHECK(counted.of(models::ModelPart::encoder_self_attention) ==
        plain.of(models::ModelPart::encoder_self_attention));
  CHECK(models::uncounted_flops(options).empty());
  const double per_token = models::forward_flops(options, vocabulary, tokens).total();

  options.variants.feed_forward = choice("sample size=5");
  CHECK(models::uncounted_flops(options) ==
        std::vector<std::string>{"model.variants.feed_forward: sample size=5"});
  CHECK(models::forward_flops(options, vocabulary, tokens).total() == Approx(per_token - 5 * 100 * 50));

  options.variants = {.attention = choice("counted size=2")};
  CHECK(models::count_parameters(options, vocabulary).of(models::ModelPart::decoder_cross_attention) ==
        plain.of(models::ModelPart::decoder_cross_attention) + 3 * 20);
  CHECK(models::uncounted_flops(options).empty());

  options.variants.attention = choice("unknown");
  CHECK_THROWS_AS(models::count_parameters(options, vocabulary), InputError);
  CHECK_THROWS_AS(models::forward_flops(options, vocabulary, tokens), InputError);
}

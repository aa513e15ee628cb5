#include "transformer/generation/generate.h"

#include <algorithm>

#include "tests/generation/scripted_model.h"
#include "transformer/base/error.h"

using namespace transformer;
using namespace transformer::generation;
using test::prompt;

namespace {

using Prompts = std::vector<std::vector<std::int32_t>>;

constexpr std::int64_t kBytes = kEos + 1 + 256;

std::int32_t byte(char c) {
  return kEos + 1 + static_cast<unsigned char>(c);
}

/// "abcdefg…", then the end behind 'f'.
std::int32_t alphabet(const std::vector<std::int32_t>& text) {
  if (text.back() == byte('f')) return kEos;
  return text.back() == kBos ? byte('a') : text.back() + 1;
}

std::vector<std::vector<Continuation>> run(const Prompts& prompts, const GenerationOptions& options,
                                           test::ScriptedTexts::Next next = alphabet, std::size_t workers = 1,
                                           const GenerationCalls& calls = {}) {
  return generate([&] { return std::make_unique<test::ScriptedTexts>(kBytes, next); }, workers,
                  test::byte_tokenizer(), prompts, options, calls);
}

const GenerationOptions kGreedy{.sampling = {.temperature = 0}};

}  // namespace

TEST_CASE("a prompt is continued to the model's end, with each token's log-probability") {
  const auto found = run({prompt("c"), prompt("")}, kGreedy);
  REQUIRE(found.size() == 2);
  CHECK(found[0][0].text == "def");
  CHECK(found[0][0].end == End::token);
  CHECK(found[0][0].ids == std::vector<std::int32_t>{byte('d'), byte('e'), byte('f')});
  CHECK(found[0][0].log_probabilities.size() == 3);
  CHECK(found[0][0].log_probabilities[0] == Approx(0).margin(1e-9));
  CHECK(found[0][0].end_log_probability.value() == Approx(0).margin(1e-9));
  CHECK(found[1][0].text == "abcdef");
}

TEST_CASE("a continuation ends at its limit of tokens, and before a text that is to stop it") {
  auto options = kGreedy;
  options.max_tokens = 2;
  auto found = run({prompt("a")}, options)[0][0];
  CHECK(found.text == "bc");
  CHECK(found.end == End::limit);
  CHECK_FALSE(found.end_log_probability.has_value());
  options.max_tokens = 0;
  CHECK(run({prompt("a")}, options)[0][0].text.empty());
  options = kGreedy;
  options.stop = {"xyz", "de"};
  found = run({prompt("a")}, options)[0][0];
  CHECK(found.text == "bc");
  CHECK(found.end == End::stop);
  CHECK(found.ids.size() == 4);  // the tokens that spell it were drawn
}

TEST_CASE("a text ends where the model can read no more, or goes on from its later half") {
  const auto endless = [](const std::vector<std::int32_t>& text) {
    return text.back() == byte('z') || text.back() == kBos ? byte('a') : text.back() + 1;
  };
  auto options = kGreedy;
  options.window = 4;
  options.max_tokens = 10;
  auto found = run({prompt("a")}, options, endless)[0][0];
  CHECK(found.text == "bcd");  // the begin token and "abc" are four; "d" was drawn and not read
  CHECK(found.end == End::window);
  options.slide = true;
  std::size_t longest = 0;
  const auto texts = generate(
      [&] {
        struct Watched : test::ScriptedTexts {
          Watched(Next next, std::size_t& most) : ScriptedTexts(kBytes, next), most_(most) {}
          ~Watched() override { most_ = longest; }
          std::size_t& most_;
        };
        return std::make_unique<Watched>(endless, longest);
      },
      1, test::byte_tokenizer(), Prompts{prompt("a")}, options);
  CHECK(texts[0][0].text == "bcdefghijk");
  CHECK(texts[0][0].end == End::limit);
  CHECK(longest == 4);
  CHECK_THROWS_WITH(run({prompt("a"), prompt("abcd")}, options),
                    ContainsSubstring("prompt 2: expected at most 4 tokens"));
}

TEST_CASE("what is drawn does not depend on batches and workers, but on seed, prompt and sample") {
  Prompts prompts;
  for (int i = 0; i < 25; ++i) prompts.push_back(prompt(std::string(static_cast<std::size_t>(i % 4), 'x')));
  GenerationOptions options{.sampling = {.temperature = 0.9, .top_p = 0.95}, .max_tokens = 12, .samples = 3};
  const auto texts = [&](std::int64_t batch, std::size_t workers, std::uint64_t seed) {
    options.batch = batch;
    options.seed = seed;
    std::vector<std::string> all;
    for (const auto& samples : run(prompts, options, nullptr, workers))
      for (const auto& sample : samples) all.push_back(sample.text);
    return all;
  };
  const auto one = texts(1, 1, 5);
  CHECK(one.size() == 75);
  CHECK(texts(7, 1, 5) == one);
  CHECK(texts(32, 2, 5) == one);
  CHECK(texts(4, 5, 5) == one);
  CHECK(texts(7, 1, 6) != one);
  auto different = one;
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  CHECK(different.size() > 70);  // equal prompts and samples have draws of their own
}

TEST_CASE("tokens are told as they come, and work can be stopped") {
  std::string last;
  int tokens = 0;
  GenerationCalls calls{.token = [&](std::size_t number, std::int64_t sample, const Continuation& found) {
    CHECK(number == 0);
    CHECK(sample == 0);
    CHECK(found.text.starts_with(last));
    last = found.text;
    ++tokens;
  }};
  calls.spelled = true;
  run({prompt("a")}, kGreedy, alphabet, 1, calls);
  CHECK(tokens == 5);
  CHECK(last == "bcdef");
  calls.before_step = [] { throw Interrupted(); };
  CHECK_THROWS_AS(run({prompt("a")}, kGreedy, alphabet, 1, calls), Interrupted);
}

TEST_CASE("options of generation that cannot be are refused by name") {
  const auto refused = [](GenerationOptions options, const char* words) {
    CHECK_THROWS_WITH(run({prompt("a")}, options), ContainsSubstring(words));
  };
  refused({.samples = 0}, "samples: expected a whole number from 1, found '0'");
  refused({.max_tokens = -1}, "max tokens");
  refused({.stop = {""}}, "stop: expected a text");
  refused({.batch = 0}, "batch");
  refused({.window = 1}, "window");
  refused({.sampling = {.top_p = 2}}, "top-p");
}

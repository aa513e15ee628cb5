// Beam search of texts by the engine and by the modules, against the model's definition.
#include "transformer/generation/beam_texts.h"

#include <algorithm>
#include <cmath>

#include "tests/generation/scripted_model.h"
#include "tests/generation/small_decoder.h"
#include "transformer/base/error.h"
#include "transformer/engine/text_decoder.h"
#include "transformer/generation/module_texts.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/scoring.h"

using namespace transformer;
using namespace transformer::generation;

namespace {

using Ids = std::vector<std::int32_t>;
using Prompts = std::vector<Ids>;

constexpr std::int64_t kFewWords = 7, kByteWords = kEos + 1 + 256;

models::AnyModel peaked_decoder(std::int64_t vocabulary) {
  auto model = test::small_model("decoder", vocabulary);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : model->parameters()) parameter.mul_(2);
  return model;
}

/// log P of what follows a text, which the model reads whole.
torch::Tensor log_probabilities_after(models::AnyModel& model, const Ids& text) {
  const torch::NoGradGuard no_gradients;
  return torch::log_softmax(test::logits_after(model, text), -1, torch::kDouble);
}

struct Item {
  Ids ids;
  double log_probability = 0, score = 0;
  bool finished = false;
};

double penalty(std::size_t length, double alpha) {
  return std::pow((5.0 + static_cast<double>(length)) / 6.0, alpha);
}

/// Beam search by its rules, without a cache, always to the limit. A step keeps its best 2 · beam
/// continuations. Those that end or reach the limit are set aside.
std::vector<Item> plain_search(models::AnyModel& model, const Ids& prompt, std::size_t limit,
                               std::size_t beam, double alpha) {
  std::vector<Item> open{{}}, found;
  for (std::size_t length = 1; length <= limit; ++length) {
    std::vector<Item> all;
    for (const auto& item : open) {
      auto text = prompt;
      text.insert(text.end(), item.ids.begin(), item.ids.end());
      const auto follows = log_probabilities_after(model, text);
      for (std::int32_t token = 0; token < kFewWords; ++token) {
        if (token == kPad || token == kBos) continue;
        all.push_back(item);
        all.back().log_probability += follows[token].item<double>();
        all.back().score = all.back().log_probability / penalty(length, alpha);
        all.back().finished = token == kEos;
        all.back().ids.push_back(token);
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &Item::log_probability);
    all.resize(std::min(all.size(), beam == 1 ? 1 : 2 * beam));
    open.clear();
    for (auto& item : all) {
      if (!item.finished && length < limit) {
        if (open.size() < beam) open.push_back(item);
        continue;
      }
      if (item.finished) item.ids.pop_back();
      found.push_back(item);
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Item::score);
  return found;
}

}  // namespace

TEST_CASE("beam search of texts finds what its rules say, wide or narrow, by engine and modules") {
  auto model = peaked_decoder(kFewWords);
  const auto packed = translation::pack(model, engine::Precision::fp32);
  const Prompts prompts{{kBos}, {kBos, 4, 5, 6}, {kEos, 5}, {kBos, 6, 6}};
  const MakeTextModel by_engine = [&] { return std::make_unique<engine::TextDecoder>(packed); };
  const MakeTextModel by_modules = [&] { return std::make_unique<ModuleTexts>(model); };
  const translation::SearchMode mode(model);
  for (const std::int64_t beam : {1, 2, 3, 500}) {  // the last holds all there are
    for (const double alpha : {0.0, 0.6}) {
      const search::DecodeOptions decode{
          .beam = beam, .alpha = alpha, .nbest = std::min<std::int64_t>(beam, 3)};
      const GenerationOptions options{.max_tokens = 4, .batch = 2 * beam};
      for (const auto* make : {&by_engine, &by_modules}) {
        const auto found = beam_texts(*make, 1, test::byte_tokenizer(), prompts, options, decode);
        for (std::size_t i = 0; i < prompts.size(); ++i) {
          const auto expected = plain_search(model, prompts[i], 4, static_cast<std::size_t>(beam), alpha);
          REQUIRE(found[i].size() == static_cast<std::size_t>(decode.nbest));
          for (std::size_t n = 0; n < found[i].size(); ++n) {
            CAPTURE(beam, alpha, i, n, make == &by_engine);
            CHECK(found[i][n].ids == expected[n].ids);
            CHECK(found[i][n].log_probability.value() == Approx(expected[n].log_probability).margin(1e-4));
            CHECK(found[i][n].score.value() == Approx(expected[n].score).margin(1e-4));
            CHECK((found[i][n].end == End::token) == expected[n].finished);
          }
        }
      }
    }
  }
}

TEST_CASE("what is found depends on no batch and no worker, and stays within the window") {
  Prompts prompts;
  for (int i = 0; i < 9; ++i)
    prompts.push_back(test::prompt(std::string(static_cast<std::size_t>(i % 4), 'x')));
  const MakeTextModel make = [] { return std::make_unique<test::ScriptedTexts>(kByteWords); };
  const search::DecodeOptions decode{.beam = 3, .nbest = 2};
  const auto texts = [&](GenerationOptions options, std::size_t workers) {
    std::vector<std::string> all;
    for (const auto& of_prompt : beam_texts(make, workers, test::byte_tokenizer(), prompts, options, decode))
      for (const auto& one : of_prompt) all.push_back(one.text + name_of(one.end));
    return all;
  };
  const GenerationOptions alone{.max_tokens = 6, .batch = 1}, together{.max_tokens = 6, .batch = 32};
  CHECK(texts(alone, 1).size() == 18);
  CHECK(texts(alone, 1) == texts(together, 1));
  CHECK(texts(alone, 2) == texts(together, 1));
  const auto narrow =
      beam_texts(make, 1, test::byte_tokenizer(), prompts, {.max_tokens = 6, .window = 5}, decode);
  CHECK(narrow[3][0].ids.size() == 2);  // the begin token, three bytes and one of these are five
  CHECK(narrow[3][0].end == End::window);
  CHECK(beam_texts(make, 1, test::byte_tokenizer(), prompts, {.max_tokens = 0}, decode)[0][0].text.empty());
}

TEST_CASE("a search of texts is observed and stopped, and refuses what cannot be") {
  const Prompts prompts{test::prompt("a"), test::prompt("b"), test::prompt("c")};
  const MakeTextModel make = [] { return std::make_unique<test::ScriptedTexts>(kByteWords); };
  const GenerationOptions options{.max_tokens = 3, .batch = 1};
  std::vector<std::size_t> steps(3, 0), done;
  beam_texts(make, 1, test::byte_tokenizer(), prompts, options, {.beam = 2},
             {.progress = [&](std::size_t count) { done.push_back(count); },
              .observer = [&](const search::ObservedStep& step) { ++steps.at(step.sentence); }});
  for (const auto count : steps) CHECK((count >= 1 && count <= 3));
  CHECK(done == std::vector<std::size_t>{1, 2, 3});
  CHECK_THROWS_AS(beam_texts(make, 2, test::byte_tokenizer(), prompts, options, {.beam = 2},
                             {.before_step = [] { throw Interrupted(); }}),
                  Interrupted);
  CHECK_THROWS_WITH(
      beam_texts(make, 1, test::byte_tokenizer(), Prompts{test::prompt("ab")}, {.window = 2}, {.beam = 2}),
      ContainsSubstring("prompt 1: expected at most 2 tokens"));
  CHECK_THROWS_WITH(beam_texts(make, 1, test::byte_tokenizer(), prompts, options, {.beam = 2, .nbest = 3}),
                    ContainsSubstring("decode.nbest: expected 1 to decode.beam (2), found 3"));
}

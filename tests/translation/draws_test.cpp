// Drawn translations and forced beginnings, by the modules and by the engine.
#include "transformer/search/draws.h"

#include <algorithm>
#include <numeric>

#include "tests/catch.h"
#include "tests/engine/models.h"
#include "tests/translation/toy_model.h"
#include "transformer/search/beam_search.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/forced_scores.h"
#include "transformer/translation/model_search.h"

using namespace transformer;
using search::DecodeOptions;
using search::DrawOptions;
using search::Found;

namespace {

constexpr std::int64_t kDrawnWords = 30;
const std::vector<std::int64_t> kDrawnLengths{5, 0, 9, 2, 12};
const std::vector<std::size_t> kNumbers{4, 0, 9, 1, 2};

/// One translation by the definition: the whole decoder reads the translation again for each token.
test::Ids drawn_alone(models::EncoderDecoder& model, const torch::Tensor& source, std::size_t number,
                      std::int64_t sample, std::int64_t limit, const DrawOptions& options,
                      const test::Ids& prefix) {
  search::Sampler sampler(options.sampling);
  auto ids = prefix;
  while (std::ssize(ids) < limit) {
    const torch::NoGradGuard no_gradients;
    std::vector<std::int64_t> input{kBos};
    input.insert(input.end(), ids.begin(), ids.end());
    const auto next = model->forward(source, torch::tensor(input).unsqueeze(0))[0][-1].contiguous();
    const auto uniform =
        search::uniform_of(options.seed, static_cast<std::int64_t>(number), sample, std::ssize(ids));
    const auto token =
        sampler.draw({next.data_ptr<float>(), static_cast<std::size_t>(next.numel())}, ids, uniform).token;
    if (token == kEos) break;
    ids.push_back(token);
  }
  return ids;
}

double forced_sum(const models::EncoderDecoder& model, const test::Ids& source, const test::Ids& target) {
  const std::vector<translation::ForcedPair> pairs{{{source.begin(), source.end() - 1}, target}};
  const auto scores = translation::forced_scores(model, pairs, 100).front();
  return std::accumulate(scores.begin(), scores.end(), 0.0);
}

}  // namespace

TEST_CASE("drawn translations are those of the module's logits and the same numbers, in any batch") {
  const auto prefixed = GENERATE(false, true);
  auto model = test::toy_model(3, kDrawnWords);
  const auto tensor = test::random_sources(4, kDrawnLengths, kDrawnWords);
  const auto sources = test::ids_of(tensor);
  const std::vector<test::Ids> prefixes =
      prefixed ? std::vector<test::Ids>{{7, 8}, {}, {9}, test::Ids(12, 11), {}} : std::vector<test::Ids>{};
  const translation::SearchCalls calls{.prefixes = prefixes};
  const DecodeOptions options{.length_offset = 6};
  const auto packed = translation::pack(model, engine::Precision::fp32);
  engine::BatchDecoder decoder(packed);
  for (const auto& sampling :
       {search::SamplingOptions{},
        search::SamplingOptions{
            .repetition_penalty = 1.3, .temperature = 0.8, .top_k = 9, .top_p = 0.9, .min_p = 0.01}}) {
    const DrawOptions drawing{.sampling = sampling, .samples = 3, .seed = 5};
    const auto by_modules = translation::draw(model, tensor, options, drawing, kNumbers, calls);
    const auto by_engine = translation::draw(decoder, sources, options, drawing, kNumbers, calls);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto prefix = prefixed ? prefixes[i] : test::Ids{};
      const auto limit = std::max(kDrawnLengths[i] + 6, static_cast<std::int64_t>(prefix.size()));
      const translation::SearchCalls alone{.prefixes =
                                               std::span(prefixes).subspan(prefixed ? i : 0, prefixed)};
      const auto single = translation::draw(decoder, std::span(sources).subspan(i, 1), options, drawing,
                                            std::span(kNumbers).subspan(i, 1), alone)[0];
      for (std::int64_t sample = 0; sample < 3; ++sample) {
        CAPTURE(i, sample, prefixed);
        const auto n = static_cast<std::size_t>(sample);
        const auto expected = drawn_alone(model, test::alone(tensor, static_cast<std::int64_t>(i)),
                                          kNumbers[i], sample, limit, drawing, prefix);
        CHECK(by_modules[i][n].ids == expected);
        CHECK(by_engine[i][n].ids == expected);
        CHECK(single[n].ids == by_engine[i][n].ids);
        CHECK(single[n].log_probability == by_engine[i][n].log_probability);  // to the bit
        const auto score = forced_sum(model, sources[i], expected);
        CHECK(by_modules[i][n].log_probability == Approx(score).margin(1e-3));
        CHECK(by_engine[i][n].log_probability == Approx(score).margin(1e-3));
        CHECK(by_engine[i][n].finished == by_modules[i][n].finished);
      }
    }
  }
}

TEST_CASE("draws at temperature 0 are greedy search, for every kind of model that the engine knows") {
  for (const auto& [name, made] : test::model_cases()) {
    INFO(name);
    auto model = test::random_model(made, 40, 3);
    const auto tensor = test::random_sources(4, kDrawnLengths, 40);
    const DecodeOptions options{.beam = 1, .length_offset = 8};
    const auto packed = translation::pack(model, engine::Precision::fp32);
    engine::BatchDecoder decoder(packed);
    const auto drawn =
        translation::draw(decoder, test::ids_of(tensor), options, {.sampling = {.temperature = 0}}, kNumbers);
    const auto greedy = translation::beam_search(decoder, test::ids_of(tensor), options)[0];
    for (std::size_t i = 0; i < greedy.size(); ++i) {
      CHECK(drawn[i][0].ids == greedy[i][0].ids);
      CHECK(drawn[i][0].log_probability == Approx(greedy[i][0].log_probability).margin(1e-3));
    }
  }
}

TEST_CASE("beam search with beginnings finds the best translations that begin so") {
  auto model = test::toy_model(5, 8);
  const auto tensor = test::random_sources(6, {2, 1, 3}, 8);
  const std::vector<test::Ids> prefixes{{5, 4}, {}, {6}};
  const DecodeOptions options{.beam = 300, .length_offset = 1, .nbest = 3};
  const translation::SearchCalls calls{.prefixes = prefixes};
  const auto packed = translation::pack(model, engine::Precision::fp32);
  engine::BatchDecoder decoder(packed);
  const auto by_modules = translation::beam_search(model, tensor, options, {}, calls)[0];
  const auto by_engine = translation::beam_search(decoder, test::ids_of(tensor), options, {}, calls)[0];
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto& prefix = prefixes[static_cast<std::size_t>(i)];
    const auto source = test::alone(tensor, i);
    auto expected = test::all_outputs(model, source, source.size(1), options);
    std::erase_if(expected, [&](const auto& one) {
      return one.ids.size() < prefix.size() || !std::equal(prefix.begin(), prefix.end(), one.ids.begin());
    });
    for (std::size_t n = 0; n < 3; ++n) {
      CAPTURE(i, n);
      for (const auto* found : {&by_modules, &by_engine}) {
        const auto& one = (*found)[static_cast<std::size_t>(i)][n];
        CHECK(one.ids == expected[n].ids);
        CHECK(one.score == Approx(expected[n].score).margin(1e-3));
      }
    }
  }
}

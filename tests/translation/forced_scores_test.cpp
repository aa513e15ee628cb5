#include "transformer/translation/forced_scores.h"

#include <numeric>

#include "tests/catch.h"
#include "tests/models/constants_torch.h"
#include "tests/models/tiny.h"
#include "tests/nn/checks.h"
#include "tests/translation/toy_model.h"
#include "transformer/base/error.h"
#include "transformer/runtime/device.h"
#include "transformer/translation/engine_model.h"
#include "transformer/translation/model_search.h"

using namespace transformer;
using translation::ForcedPair;

namespace {

double total(const std::vector<float>& scores) {
  return std::accumulate(scores.begin(), scores.end(), 0.0);
}

/// Pairs of the given lengths.
std::vector<ForcedPair> random_pairs(const std::vector<std::pair<std::int64_t, std::int64_t>>& lengths,
                                     std::int64_t vocabulary) {
  torch::manual_seed(5);
  const auto ids = [&](std::int64_t length) {
    const auto drawn = torch::randint(kEos + 1, vocabulary, {length}, torch::kInt);
    return test::Ids(drawn.data_ptr<std::int32_t>(), drawn.data_ptr<std::int32_t>() + length);
  };
  std::vector<ForcedPair> pairs;
  for (const auto& [source, target] : lengths) pairs.push_back({ids(source), ids(target)});
  return pairs;
}

torch::Tensor source_tensor(const ForcedPair& pair) {
  std::vector<std::int64_t> ids(pair.source.begin(), pair.source.end());
  ids.push_back(kEos);
  return torch::tensor(ids).unsqueeze(0);
}

}  // namespace

TEST_CASE("forced scores are the log-softmax of PyTorch's logits") {
  // The model, the sentences and the logits of tests/models.
  torch::manual_seed(21);
  auto model = test::with_pattern(models::EncoderDecoder(test::tiny(), models::VocabularySizes{11, 11}));
  const auto logits = torch::tensor(test::model_post.output, torch::kDouble).view({2, 4, 11});
  const auto expected = torch::log_softmax(logits, -1);
  const std::vector<ForcedPair> pairs{{{4, 5, 6, 7}, {10, 4, 9}}, {{8, 9}, {5, 6}}};
  const auto found = translation::forced_scores(model, pairs, 4096);
  REQUIRE(found.size() == 2);
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    auto labels = pairs[row].target;
    labels.push_back(kEos);
    REQUIRE(found[row].size() == labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      CHECK(found[row][i] ==
            Approx(expected[static_cast<std::int64_t>(row)][static_cast<std::int64_t>(i)][labels[i]]
                       .item<double>())
                .margin(1e-6));
  }
}

TEST_CASE("forced scores do not depend on batches, and come in the order of the pairs") {
  const auto positions = GENERATE(nn::Positions::interleaved, nn::Positions::learned);
  auto model = test::toy_model(3, 20, positions);
  model->train();
  const auto pairs = random_pairs({{3, 9}, {0, 0}, {12, 1}, {5, 0}, {1, 7}, {0, 4}, {8, 8}}, 20);
  for (const std::int64_t batch_tokens : {1, 20, 4096}) {
    std::vector<std::size_t> steps;
    const auto found = translation::forced_scores(model, pairs, batch_tokens,
                                                  [&](std::size_t done) { steps.push_back(done); });
    CHECK(steps.back() == pairs.size());
    CHECK((steps.size() == 1) == (batch_tokens == 4096));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CAPTURE(i, batch_tokens);
      CHECK(found[i].size() == pairs[i].target.size() + 1);
      CHECK(model->is_training());
      model->eval();
      CHECK(total(found[i]) ==
            Approx(test::log_probability(model, source_tensor(pairs[i]), pairs[i].target)).margin(1e-4));
      model->train();
    }
  }
  CHECK(translation::forced_scores(model, {}, 100).empty());
}

TEST_CASE("more tokens than are projected at once have the scores that they have alone") {
  auto model = test::toy_model(3, 20);
  std::vector<std::pair<std::int64_t, std::int64_t>> lengths;
  for (std::int64_t i = 0; i < 40; ++i) lengths.emplace_back(3, 20 + i % 5);
  const auto pairs = random_pairs(lengths, 20);
  const auto together = translation::forced_scores(model, pairs, 4096),
             alone = translation::forced_scores(model, pairs, 1);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    CHECK(total(together[i]) == Approx(total(alone[i])).margin(1e-4));
}

TEST_CASE("what beam search finds has the log-probabilities that it says") {
  auto model = test::toy_model(2, 30);
  const auto pairs = random_pairs({{5, 0}, {2, 0}, {9, 0}}, 30);
  const search::DecodeOptions options{.beam = 4, .length_offset = 10, .nbest = 4};
  std::vector<std::vector<std::int32_t>> sources;
  for (const auto& pair : pairs) {
    sources.push_back(pair.source);
    sources.back().push_back(kEos);
  }
  const auto precision = GENERATE(engine::Precision::fp32, engine::Precision::bf16);
  const bool half = precision == engine::Precision::bf16;
  const auto packed = translation::pack(model, precision);
  engine::BatchDecoder decoder(packed);
  const auto found = translation::beam_search(decoder, sources, options)[0];
  const runtime::PrecisionScope scope(half ? torch::kBFloat16 : torch::kFloat);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::vector<ForcedPair> translated;
    for (const auto& hypothesis : found[i]) translated.push_back({pairs[i].source, hypothesis.ids});
    const auto scores = translation::forced_scores(model, translated, 4096);
    for (std::size_t n = 0; n < translated.size(); ++n) {
      CAPTURE(i, n, half);
      CHECK(total(scores[n]) == Approx(found[i][n].log_probability).margin(half ? 0.5 : 1e-3));
    }
  }
}

TEST_CASE("learned positions limit what can be scored") {
  auto model = test::toy_model(1, 20, nn::Positions::learned, 8);
  CHECK(translation::longest_forced(model->options()) == 7);
  CHECK(translation::forced_scores(model, random_pairs({{7, 7}}, 20), 100).front().size() == 8);
  for (const auto& lengths : {std::pair<std::int64_t, std::int64_t>{8, 1}, {1, 8}})
    CHECK_THROWS_AS(translation::forced_scores(model, random_pairs({lengths}, 20), 100), InputError);
  CHECK(translation::longest_forced(test::toy_model(1, 20)->options()) == 1024 + 4096);
}

TEST_CASE("predictions have the forced scores, and the tokens that a greedy step would choose") {
  auto model = test::toy_model(3, 20);
  const auto pairs = random_pairs({{3, 9}, {0, 0}, {12, 1}, {5, 4}}, 20);
  const auto scores = translation::forced_scores(model, pairs, 4096);
  const auto predictions = translation::forced_predictions(model, pairs, 30);
  REQUIRE(predictions.size() == pairs.size());
  model->eval();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    REQUIRE(predictions[i].size() == scores[i].size());
    for (std::size_t t = 0; t < scores[i].size(); ++t) {
      const auto& found = predictions[i][t];
      CHECK(found.log_probability == Approx(scores[i][t]).margin(1e-5));
      CHECK(found.token == (t < pairs[i].target.size() ? pairs[i].target[t] : kEos));
      std::vector<std::int64_t> before{kBos};
      before.insert(before.end(), pairs[i].target.begin(),
                    pairs[i].target.begin() + static_cast<std::ptrdiff_t>(t));
      const torch::NoGradGuard no_gradients;
      const auto states =
          model->decode(torch::tensor(before).unsqueeze(0), model->encode(source_tensor(pairs[i])));
      CHECK(found.best == model->logits(states[0][-1]).argmax().item<std::int64_t>());
    }
  }
}

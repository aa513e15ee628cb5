#include "transformer/search/sampling.h"

#include <cmath>

#include "tests/catch.h"
#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/base/special_tokens.h"

using namespace transformer;
using namespace transformer::search;

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

const std::vector<float>& logits() {
  static const std::vector<float> all{0.3F, -9.0F, -9.0F, 1.1F,  2.0F, -0.7F,
                                      0.9F, 1.9F,  0.0F,  -1.5F, 0.4F, 1.2F};
  return all;
}

const std::vector<std::int32_t>& text() {
  static const std::vector<std::int32_t> all{4, 9, 4};
  return all;
}

/// The share of [0, 1) for which each token is drawn, to 1e-5.
std::vector<double> shares(const SamplingOptions& options) {
  constexpr int kDraws = 100'000;
  Sampler sampler(options);
  std::vector<double> all(logits().size());
  for (int i = 0; i < kDraws; ++i)
    all[static_cast<std::size_t>(sampler.draw(logits(), text(), (i + 0.5) / kDraws).token)] += 1.0 / kDraws;
  return all;
}

}  // namespace

TEST_CASE("tokens are drawn with the probabilities that Hugging Face's processors leave") {
  struct Case {
    SamplingOptions options;
    std::vector<double> expected;  // by transformers 5.23
  };
  const Case cases[] = {
      {{.repetition_penalty = 1.5, .temperature = 0.7},
       {0.0378943388, 0, 0, 0.1188258376, 0.1658348154, 0.0090814176, 0.0892949188, 0.3726039332,
        0.0246858523, 0.0009919769, 0.0437135827, 0.1370733267}},
      {{.top_k = 4}, {0, 0, 0, 0.1472685739, 0.3622222425, 0, 0, 0.3277522386, 0, 0, 0, 0.162756945}},
      {{.temperature = 1.3, .top_p = 0.6},
       {0, 0, 0, 0.1686724955, 0.3370619127, 0, 0, 0.3121062123, 0, 0, 0, 0.1821593795}},
      {{.min_p = 0.3},
       {0, 0, 0, 0.131422525, 0.3232472513, 0, 0.1075996628, 0.2924862083, 0, 0, 0, 0.1452443526}},
      {{.repetition_penalty = 1.2, .temperature = 0.8, .top_k = 6, .top_p = 0.8, .min_p = 0.4},
       {0, 0, 0, 0, 0.3452213921, 0, 0, 0.462132938, 0, 0, 0, 0.1926456699}},
  };
  for (const auto& [options, expected] : cases) {
    const auto found = shares(options);
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(std::abs(found[i] - expected[i]) < 2e-5);
  }
}

TEST_CASE("without temperature the most probable token is drawn, the first of equal ones") {
  Sampler sampler({.temperature = 0});
  for (const double uniform : {0.0, 0.5, 0.999}) CHECK(sampler.draw(logits(), text(), uniform).token == 4);
  Sampler penalised({.repetition_penalty = 1.5, .temperature = 0});
  CHECK(penalised.draw(logits(), text(), 0).token == 7);
  CHECK(sampler.draw(std::vector<float>{0, 9, 9, 1, 1}, {}, 0).token == 3);  // padding and begin never
}

TEST_CASE("a drawn token's log-probability is the model's own") {
  for (const double temperature : {0.0, 0.5}) {
    Sampler sampler({.repetition_penalty = 1.5, .temperature = temperature, .top_k = 1});
    const auto drawn = sampler.draw(logits(), text(), 0.3);
    CHECK(drawn.token == 7);
    CHECK(drawn.log_probability == Approx(-1.4112902665).epsilon(1e-6));
  }
}

TEST_CASE("every uniform number draws a token that can be") {
  Sampler sampler({.top_p = 0.1});
  CHECK(sampler.draw(logits(), text(), 0.9999999999999999).token == 4);
  std::vector<float> peaked(50, static_cast<float>(kNever));
  peaked[20] = -3;
  Sampler all({});
  for (const double uniform : {0.0, 0.9999999999999999}) CHECK(all.draw(peaked, {}, uniform).token == 20);
}

TEST_CASE("options of sampling that cannot be are refused by name") {
  CHECK_THROWS_WITH(Sampler({.temperature = -1}),
                    ContainsSubstring("temperature: expected a number from 0, found '-1'"));
  CHECK_THROWS_WITH(Sampler({.repetition_penalty = 0}), ContainsSubstring("repetition penalty"));
  CHECK_THROWS_WITH(Sampler({.top_k = -1}), ContainsSubstring("top-k"));
  CHECK_THROWS_WITH(Sampler({.top_p = 0}), ContainsSubstring("top-p"));
  CHECK_THROWS_WITH(Sampler({.min_p = 1.5}), ContainsSubstring("min-p"));
  CHECK_THROWS_AS(Sampler({.temperature = std::nan("")}), InputError);
}

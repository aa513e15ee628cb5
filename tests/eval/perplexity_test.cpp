#include "transformer/eval/perplexity.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "transformer/eval/significance.h"

using namespace transformer::eval;

namespace {

Counts counts_of(const std::vector<double>& probabilities) {
  std::vector<Prediction> predictions;
  for (const auto probability : probabilities)
    predictions.push_back({.log_probability = std::log(probability)});
  return perplexity_metric().count_predictions(predictions);
}

}  // namespace

TEST_CASE("perplexity is the inverse of the geometric mean of the probabilities") {
  const auto metric = perplexity_metric();
  CHECK(metric.score(counts_of({0.5})) == Approx(2));
  // (1/2 · 1/4 · 1/8 · 1/2)^(-1/4) = 2^(7/4)
  const auto both = sum_of({counts_of({0.5, 0.25}), counts_of({0.125, 0.5})});
  CHECK(metric.score(both) == Approx(std::pow(2.0, 1.75)));
  CHECK(metric.score(counts_of({})) == 1);
  CHECK(metric.less_is_better);
}

TEST_CASE("a token that cannot be makes the perplexity infinite") {
  const auto metric = perplexity_metric();
  const auto infinity = std::numeric_limits<double>::infinity();
  CHECK(metric.score(counts_of({0.5, 0})) == infinity);
  CHECK(metric.score(counts_of({std::nan("")})) == infinity);
  CHECK(metric.score(sum_of({counts_of({0.5}), counts_of({0})})) == infinity);
}

TEST_CASE("bits per character and byte, and the perplexity of a word, count what tokens add to a text") {
  // "ab cdé " in three tokens and an end: 7 characters, 8 bytes, 2 words; 1 + 2 + 3 + 2 bits
  const std::vector<Prediction> predictions{
      {.log_probability = std::log(0.5), .bytes = 2, .characters = 2, .words = 1},
      {.log_probability = std::log(0.25), .bytes = 3, .characters = 3, .words = 1},
      {.log_probability = std::log(0.125), .bytes = 3, .characters = 2},
      {.log_probability = std::log(0.25)}};
  const auto score = [&](const Metric& metric) {
    return metric.score(metric.count_predictions(predictions));
  };
  CHECK(score(bits_per_character_metric()) == Approx(8.0 / 7));
  CHECK(score(bits_per_byte_metric()) == Approx(1));
  CHECK(score(word_perplexity_metric()) == Approx(std::pow(2.0, 4)));
  CHECK(signature_of(bits_per_byte_metric(), 0).starts_with("unit:byte|"));
  const auto of_end = bits_per_byte_metric().count_predictions(std::span(predictions).last(1));
  CHECK(std::isinf(bits_per_byte_metric().score(of_end)));
}

TEST_CASE("perplexities of sentences are resampled as scores of translations are") {
  const auto metric = perplexity_metric();
  std::vector<Counts> good, bad;
  for (int i = 0; i < 50; ++i) {
    good.push_back(counts_of({0.5, 0.4 + 0.002 * i}));
    bad.push_back(counts_of({0.25, 0.2 + 0.001 * i}));
  }
  const auto found = paired_bootstrap(metric, {good}, {bad});
  CHECK(found.difference == Approx(metric.score(sum_of(good)) - metric.score(sum_of(bad))));
  CHECK(found.difference < 0);
  CHECK(found.p_value < 0.01);
}

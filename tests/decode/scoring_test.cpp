#include "transformer/decode/scoring.h"

#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/decode/toy_model.h"

using namespace transformer;
using decode::DecodeOptions;
using decode::LengthPenalty;

TEST_CASE("length penalties") {
  CHECK(decode::length_penalty({.alpha = 0.6}, 1) == Approx(1.0));
  CHECK(decode::length_penalty({.alpha = 1.0}, 7) == Approx(2.0));
  CHECK(decode::length_penalty({.alpha = 0.6}, 19) == Approx(std::pow(4.0, 0.6)));
  CHECK(decode::length_penalty({.alpha = 0.5, .length_penalty = LengthPenalty::length}, 9) == Approx(3.0));
  CHECK(decode::length_penalty({.alpha = 0.0}, 9) == Approx(1.0));
}

TEST_CASE("no continuation of a hypothesis scores above its best possible score") {
  const auto penalty = GENERATE(LengthPenalty::gnmt, LengthPenalty::length);
  const auto alpha = GENERATE(-0.5, 0.0, 0.6, 2.0);
  const DecodeOptions options{.alpha = alpha, .length_penalty = penalty};
  const double bound = decode::best_possible_score(options, -3.0, 4, 10);
  double best = -std::numeric_limits<double>::infinity();
  for (std::int64_t tokens = 4; tokens <= 10; ++tokens)
    best = std::max(best, -3.0 / decode::length_penalty(options, tokens + 1));
  CHECK(bound == Approx(best));
}

TEST_CASE("length limits follow the source, the offset and learned positions") {
  auto model = test::toy_model(1, 9);
  const auto sources = test::random_sources(2, {4, 0, 2}, 9);
  CHECK(decode::length_limits(model, sources, {.length_offset = 50}) ==
        std::vector<std::int64_t>{54, 50, 52});
  CHECK(decode::length_limits(model, sources, {.length_offset = -3}) == std::vector<std::int64_t>{1, 0, 0});
  auto learned = test::toy_model(1, 9, nn::Positions::learned, 6);
  CHECK(decode::length_limits(learned, sources, {.length_offset = 2}) == std::vector<std::int64_t>{5, 2, 4});
}

TEST_CASE("next tokens: probabilities of the whole vocabulary, without padding and begin") {
  const auto logits = torch::randn({3, 8}, torch::kFloat);
  const auto expected = torch::log_softmax(logits.to(torch::kDouble), 1);
  const auto found = decode::next_log_probabilities(logits, {false, true, false});
  for (std::int64_t row = 0; row < 3; ++row) {
    for (std::int64_t id = 0; id < 8; ++id) {
      const bool never = id == kPad || id == kBegin || (row == 1 && id != kEnd);
      const auto value = found[row][id].item<double>();
      if (never) {
        CHECK(value == -std::numeric_limits<double>::infinity());
      } else {
        CHECK(value == Approx(expected[row][id].item<double>()).margin(1e-6));
      }
    }
  }
  CHECK(decode::next_log_probabilities(logits.to(torch::kBFloat16), {}).scalar_type() == torch::kFloat);
}

#include "transformer/translation/scoring.h"

#include <limits>

#include "tests/catch.h"
#include "tests/translation/toy_model.h"
#include "transformer/search/step.h"

using namespace transformer;

TEST_CASE("length limits follow the source, the offset and learned positions") {
  auto model = test::toy_model(1, 9);
  const auto sources = test::random_sources(2, {4, 0, 2}, 9);
  CHECK(translation::length_limits(*model, sources, {.length_offset = 50}) ==
        std::vector<std::int64_t>{54, 50, 52});
  CHECK(translation::length_limits(*model, sources, {.length_offset = -3}) ==
        std::vector<std::int64_t>{1, 0, 0});
  auto learned = test::toy_model(1, 9, nn::Positions::learned, 6);
  CHECK(translation::length_limits(*learned, sources, {.length_offset = 2}) ==
        std::vector<std::int64_t>{5, 2, 4});
}

TEST_CASE("next tokens: probabilities of the whole vocabulary, without padding and begin") {
  const auto logits = torch::randn({3, 8}, torch::kFloat);
  const auto expected = torch::log_softmax(logits.to(torch::kDouble), 1);
  const std::vector<std::int32_t> only{search::kAnyToken, kEos, search::kAnyToken};
  const auto found = translation::next_log_probabilities(logits, only);
  for (std::int64_t row = 0; row < 3; ++row) {
    for (std::int64_t id = 0; id < 8; ++id) {
      const bool never = id == kPad || id == kBos || (row == 1 && id != kEos);
      const auto value = found[row][id].item<double>();
      if (never) {
        CHECK(value == -std::numeric_limits<double>::infinity());
      } else {
        CHECK(value == Approx(expected[row][id].item<double>()).margin(1e-6));
      }
    }
  }
  CHECK(translation::next_log_probabilities(logits.to(torch::kBFloat16), {}).scalar_type() == torch::kFloat);
  const auto must_end = torch::tensor({0, 1, 0}).eq(1);
  CHECK(torch::equal(translation::next_log_probabilities_on_device(logits, must_end), found));
  CHECK(torch::equal(translation::next_log_probabilities_on_device(logits, {}),
                     translation::next_log_probabilities(logits, {})));
}

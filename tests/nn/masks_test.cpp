#include "transformer/nn/masks.h"

#include <torch/types.h>

#include <limits>

#include "tests/catch.h"
#include "transformer/ops/attention.h"

using namespace transformer;

TEST_CASE("the padding mask shows the tokens and hides the padding") {
  const auto mask = nn::padding_mask(torch::tensor({{5, 6, 3}, {7, 3, 1}, {1, 1, 1}}), 1);
  CHECK(mask.scalar_type() == torch::kBool);
  CHECK(mask.sizes() == torch::IntArrayRef({3, 1, 1, 3}));
  const auto expected = torch::tensor({1, 1, 1, 1, 1, 0, 0, 0, 0}).to(torch::kBool).view({3, 1, 1, 3});
  CHECK(torch::equal(mask, expected));
}

TEST_CASE("the causal mask shows each position itself and what came before") {
  const auto mask = nn::causal_mask(4, torch::kCPU);
  CHECK(mask.scalar_type() == torch::kBool);
  REQUIRE(mask.sizes() == torch::IntArrayRef({1, 1, 4, 4}));
  for (int t = 0; t < 4; ++t)
    for (int s = 0; s < 4; ++s) CHECK(mask[0][0][t][s].item<bool>() == (s <= t));
}

// A worked example on the web hides words by infinite embeddings.
TEST_CASE("an infinite embedding or score of +∞ leaves no numbers, a masked score leaves the others") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto x = torch::arange(6.0F).view({1, 1, 3, 2});
  const auto numbers = [](const torch::Tensor& y) { return torch::isfinite(y).all().item<bool>(); };
  for (const float infinity : {kInfinity, -kInfinity}) {
    auto hidden = x.clone();
    hidden.select(2, 2).fill_(infinity);
    CHECK_FALSE(numbers(ops::reference_attention(x, hidden, hidden, {})));
  }
  const auto scores = torch::tensor({2.0F, 4.0F, kInfinity}).view({1, 1, 1, 3});
  CHECK(torch::isnan(ops::weights_of_scores(scores, {})).any().item<bool>());
  const auto masked = ops::weights_of_scores(scores, torch::tensor({true, true, false}).view({1, 1, 1, 3}));
  CHECK(masked[0][0][0][0].item<double>() == Approx(0.1192029220));  // of scores 2 and 4
  CHECK(masked[0][0][0][1].item<double>() == Approx(0.8807970780));
  CHECK(masked[0][0][0][2].item<double>() == 0.0);
}

#include "transformer/nn/masks.h"

#include <torch/types.h>

#include "tests/catch.h"

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

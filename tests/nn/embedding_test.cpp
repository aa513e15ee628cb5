#include "transformer/nn/embedding.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

TEST_CASE("an embedding is a row of the matrix times the root of d_model") {
  auto module = test::with_pattern(nn::Embedding(5, 6));
  const auto ids = torch::tensor({{0, 4, 4}, {2, 1, 3}});
  const auto output = module(ids);
  CHECK(output.sizes() == torch::IntArrayRef({2, 3, 6}));
  CHECK(difference(output[0][1], module->weight[4] * std::sqrt(6.0)) < 1e-15);
  CHECK(difference(output[1][0], module->weight[2] * std::sqrt(6.0)) < 1e-15);
  CHECK(torch::equal(output[0][1], output[0][2]));
}

TEST_CASE("logits are products with the rows of the same matrix, unscaled") {
  auto module = test::with_pattern(nn::Embedding(5, 6));
  const auto x = test::pattern({2, 3, 6}, "x");
  const auto logits = module->logits(x);
  CHECK(logits.sizes() == torch::IntArrayRef({2, 3, 5}));
  CHECK(difference(logits[1][2][4], x[1][2].dot(module->weight[4])) < 1e-14);
}

TEST_CASE("an embedding's gradient reaches the rows that were looked up, from both of its uses") {
  auto module = test::with_pattern(nn::Embedding(5, 6));
  const auto ids = torch::tensor({1, 1, 3});
  module(ids).sum().backward();
  const auto counts = torch::tensor({0.0, 2.0, 0.0, 1.0, 0.0}, torch::kDouble).unsqueeze(1);
  CHECK(difference(module->weight.grad(), (counts * std::sqrt(6.0)).expand({5, 6})) < 1e-14);

  torch::manual_seed(1);
  test::check_gradients([&] { return module->logits(module(ids)).pow(2).sum(); }, module->parameters());
}

TEST_CASE("an embedding without rows or columns is refused") {
  CHECK_THROWS_WITH(nn::Embedding(0, 6), ContainsSubstring("0 x 6"));
}

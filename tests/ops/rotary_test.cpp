#include "transformer/ops/rotary.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

TEST_CASE("rotary positions turn each pair by its own angle") {
  const auto rotation = ops::rotation_at(torch::tensor({0, 1, 2}), 4);  // θ: position, position / 100
  const auto x = torch::tensor({{{1., 0., 0., 2.}, {1., 0., 0., 2.}, {1., 0., 0., 2.}}}, torch::kDouble);
  const auto y = ops::rotate(x, rotation, 1);
  for (int t = 0; t < 3; ++t) {
    CHECK(difference(y[0][t], {std::cos(t), std::sin(t), -2 * std::sin(t / 100.), 2 * std::cos(t / 100.)}) <
          1e-6);
  }
}

TEST_CASE("another base turns the pairs behind the first by other angles") {
  const auto rotation = ops::rotation_at(torch::tensor({3}), 4, 25);  // θ: position, position / 5
  const auto y = ops::rotate(torch::tensor({{{1., 0., 1., 0.}}}, torch::kDouble), rotation, 1);
  CHECK(difference(y[0][0], {std::cos(3.), std::sin(3.), std::cos(0.6), std::sin(0.6)}) < 1e-6);
}

TEST_CASE("products of turned queries and keys know the distance alone") {
  torch::manual_seed(1);
  const auto q = torch::randn({1, 1, 8}, torch::kDouble), k = torch::randn({1, 1, 8}, torch::kDouble);
  const auto score = [&](std::int64_t i, std::int64_t j) {
    const auto turned = [](const torch::Tensor& x, std::int64_t place) {
      return ops::rotate(x, ops::rotation_at(torch::tensor({place}), 8), 1);
    };
    return (turned(q, i) * turned(k, j)).sum().item<double>();
  };
  CHECK(score(3, 1) == Approx(score(40, 38)).margin(1e-6));
  CHECK(score(0, 0) == Approx((q * k).sum().item<double>()).margin(1e-6));
  CHECK(std::abs(score(3, 1) - score(1, 3)) > 1e-3);
}

TEST_CASE("rotary kernels give the definition's values and gradients, in fp32 and bf16") {
  torch::manual_seed(2);
  const auto rotation = ops::rotation_at(torch::arange(5), 6);
  for (const auto type : {torch::kFloat, torch::kBFloat16}) {
    const auto x =
        torch::randn({2, 5, 2 * 6 + 7}).to(type).requires_grad_();  // two heads, and something behind
    const auto found = ops::rotate(x, rotation, 2), expected = ops::reference_rotate(x, rotation, 2);
    const double tolerance = type == torch::kFloat ? 1e-6 : 0.02;
    CHECK(difference(found, expected) < tolerance);
    CHECK(torch::equal(found.slice(-1, 12), x.slice(-1, 12)));
    const auto loss = torch::randn_like(found);
    CHECK(difference(torch::autograd::grad({found}, {x}, {loss})[0],
                     torch::autograd::grad({expected}, {x}, {loss})[0]) < tolerance);
  }
}

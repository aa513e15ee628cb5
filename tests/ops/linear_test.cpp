#include "transformer/ops/linear.h"

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

TEST_CASE("a linear map in bf16 keeps its weights and their gradients in fp32") {
  torch::manual_seed(1);
  const auto x = torch::randn({3, 50, 24}).to(torch::kBFloat16).requires_grad_();
  const auto weight = torch::randn({40, 24}).requires_grad_(), bias = torch::randn({40}).requires_grad_();
  const auto y = ops::linear(x, weight, bias);
  CHECK(y.scalar_type() == torch::kBFloat16);
  const auto x_exact = x.detach().to(torch::kDouble).requires_grad_();
  const auto rounded = weight.detach().to(torch::kBFloat16).to(torch::kDouble).requires_grad_();
  const auto bias_exact = bias.detach().to(torch::kDouble).requires_grad_();
  const auto expected = torch::linear(x_exact, rounded, bias_exact);
  CHECK(difference(y, expected) < 0.01 * expected.abs().max().item<double>());
  const auto loss = torch::randn_like(expected).to(torch::kBFloat16);
  const auto found = torch::autograd::grad({y}, {x, weight, bias}, {loss});
  const auto wanted =
      torch::autograd::grad({expected}, {x_exact, rounded, bias_exact}, {loss.to(torch::kDouble)});
  CHECK(found[0].scalar_type() == torch::kBFloat16);
  for (const std::size_t i : {1, 2}) CHECK(found[i].scalar_type() == torch::kFloat);
  for (std::size_t i = 0; i < 3; ++i) {
    INFO("gradient " << i);
    CHECK(difference(found[i], wanted[i]) < 0.01 * wanted[i].abs().max().item<double>());
  }
}

TEST_CASE("a joint linear map gives the results of its parts, one after another") {
  torch::manual_seed(2);
  const auto x = torch::randn({2, 5, 8});
  const auto a = torch::randn({3, 8}), b = torch::randn({4, 8}), no_bias = torch::Tensor();
  const auto both = ops::joint_linear(x, {a, b}, {no_bias, no_bias});
  CHECK(difference(both, torch::cat({torch::linear(x, a), torch::linear(x, b)}, -1)) < 1e-6);
  const auto c = torch::randn({3}), d = torch::randn({4});
  CHECK(difference(ops::joint_linear(x, {a, b}, {c, d}),
                   torch::cat({torch::linear(x, a, c), torch::linear(x, b, d)}, -1)) < 1e-6);
}

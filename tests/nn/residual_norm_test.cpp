#include "transformer/nn/residual_norm.h"

#include <torch/nn/init.h>

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using nn::NormPlacement;
using test::difference;

namespace {

constexpr double kNormEpsilon = 1e-3;  // large enough to be seen

torch::Tensor normalized(const torch::Tensor& x, nn::ResidualNorm module) {
  const auto mean = x.mean(-1, true);
  const auto variance = (x - mean).pow(2).mean(-1, true);
  return (x - mean) / (variance + kNormEpsilon).sqrt() * module->norm->weight + module->norm->bias;
}

torch::Tensor sublayer(const torch::Tensor& x) {
  return x.pow(2) + 0.3;
}

nn::ResidualNorm residual(NormPlacement norm, double dropout) {
  return test::with_pattern(nn::ResidualNorm(
      nn::ResidualNormOptions{.d_model = 6, .dropout = dropout, .norm = norm, .norm_epsilon = kNormEpsilon}));
}

}  // namespace

TEST_CASE("post-norm is LayerNorm(x + Sublayer(x)), pre-norm x + Sublayer(LayerNorm(x))") {
  const auto x = 0.2 * test::pattern({2, 3, 6}, "x");
  auto post = residual(NormPlacement::post, 0.0), pre = residual(NormPlacement::pre, 0.0);
  CHECK(difference(post->forward(x, sublayer), normalized(x + sublayer(x), post)) < 1e-12);
  CHECK(difference(pre->forward(x, sublayer), x + sublayer(normalized(x, pre))) < 1e-12);
}

TEST_CASE("the residual's gradients equal finite differences") {
  torch::manual_seed(2);
  const auto x = test::variable({2, 3, 6}, "x");
  for (const auto norm : {NormPlacement::post, NormPlacement::pre}) {
    auto module = residual(norm, 0.0);
    auto variables = module->parameters();
    variables.push_back(x);
    const auto loss = test::pattern({2, 3, 6}, "loss");
    test::check_gradients([&] { return (module->forward(x, sublayer) * loss).sum(); }, variables);
  }
}

TEST_CASE("residual dropout falls on the sublayer's output, before it is added, in training alone") {
  torch::manual_seed(3);
  const auto x = test::pattern({40, 5, 6}, "x");
  const auto constant = [](const torch::Tensor& y) { return torch::full_like(y, 0.5); };

  auto pre = residual(NormPlacement::pre, 0.75);
  const auto added = pre->forward(x, constant) - x;  // 0 or 0.5 / (1 - 0.75)
  const auto kept = added.gt(1.0);
  CHECK(difference(added, 2.0 * kept) < 1e-12);
  CHECK(kept.to(torch::kDouble).mean().item<double>() == Approx(0.25).margin(0.07));

  auto post = residual(NormPlacement::post, 0.75);
  CHECK(difference(post->forward(x, constant), normalized(x + 0.5, post)) > 0.1);
  pre->eval();
  post->eval();
  CHECK(difference(pre->forward(x, constant), x + 0.5) < 1e-12);
  CHECK(difference(post->forward(x, constant), normalized(x + 0.5, post)) < 1e-12);
}

TEST_CASE("sandwich norms what a sublayer reads and what it gives, each by a norm of its own") {
  const auto x = 0.2 * test::pattern({2, 3, 6}, "x");
  auto module = residual(NormPlacement::sandwich, 0.0);
  CHECK(module->parameters().size() == 4);
  const auto result = sublayer(normalized(x, module));
  const auto centred = result - result.mean(-1, true);
  const auto outer =
      centred / (centred.pow(2).mean(-1, true) + kNormEpsilon).sqrt() * module->norm_of_result->weight +
      module->norm_of_result->bias;
  CHECK(difference(module->forward(x, sublayer), x + outer) < 1e-12);
}

TEST_CASE("without residual connections a sublayer's result takes the place of what it read") {
  const auto x = 0.2 * test::pattern({2, 3, 6}, "x");
  const auto alone = [](NormPlacement norm) {
    return test::with_pattern(nn::ResidualNorm(nn::ResidualNormOptions{
        .d_model = 6, .dropout = 0, .norm = norm, .residual = false, .norm_epsilon = kNormEpsilon}));
  };
  auto post = alone(NormPlacement::post), pre = alone(NormPlacement::pre);
  CHECK(difference(post->forward(x, sublayer), normalized(sublayer(x), post)) < 1e-12);
  CHECK(difference(pre->forward(x, sublayer), sublayer(normalized(x, pre))) < 1e-12);
}

#include "transformer/nn/norm.h"

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

namespace {

constexpr double kEpsilon = 1e-3;  // large enough to be seen

nn::Norm norm(nn::NormKind kind) {
  return test::with_pattern(nn::Norm(nn::NormOptions{.d_model = 6, .epsilon = kEpsilon, .kind = kind}));
}

}  // namespace

TEST_CASE("norms by their formulas") {
  const auto x = 2 * test::pattern({2, 3, 6}, "x");
  auto layer = norm(nn::NormKind::layer), rms = norm(nn::NormKind::rms), none = norm(nn::NormKind::none);
  const auto centred = x - x.mean(-1, true);
  CHECK(difference(layer(x), centred / (centred.pow(2).mean(-1, true) + kEpsilon).sqrt() * layer->weight +
                                 layer->bias) < 1e-13);
  CHECK(difference(rms(x), x / (x.pow(2).mean(-1, true) + kEpsilon).sqrt() * rms->weight) < 1e-13);
  CHECK(torch::equal(none(x), x));
  CHECK(layer->parameters().size() == 2);
  CHECK(rms->parameters().size() == 1);
  CHECK(none->parameters().empty());
  CHECK(layer->is_layer_norm());
  CHECK_FALSE(rms->is_layer_norm());
  CHECK_FALSE(none->is_layer_norm());
}

// By torch.nn.RMSNorm(4, eps=1e-5) of Python, weight 1, 0.5, 2, -1.
TEST_CASE("the root of the mean square is PyTorch's RMSNorm") {
  nn::Norm module(nn::NormOptions{.d_model = 4, .kind = nn::NormKind::rms});
  const torch::NoGradGuard no_gradients;
  module->weight.copy_(torch::tensor({1.0, 0.5, 2.0, -1.0}));
  const auto y = module(torch::tensor({1.0F, -2.0F, 3.0F, 0.5F}).unsqueeze(0));
  CHECK(difference(y, {0.529812157, -0.529812157, 3.178873062, -0.264906079}) < 1e-6);
  CHECK(module(torch::ones({1, 4}, torch::kBFloat16)).scalar_type() == torch::kBFloat16);
}

TEST_CASE("a norm's gradients equal finite differences, and it begins as the identity of its kind") {
  torch::manual_seed(5);
  for (const auto kind : {nn::NormKind::layer, nn::NormKind::rms}) {
    auto module = norm(kind);
    const auto x = test::variable({2, 3, 6}, "x");
    auto variables = module->parameters();
    variables.push_back(x);
    test::check_gradients([&] { return (module(x) * test::pattern({2, 3, 6}, "loss")).sum(); }, variables);
    module->reset_parameters();
    CHECK(difference(module->weight, torch::ones({6})) == 0);
    if (module->bias.defined()) CHECK(difference(module->bias, torch::zeros({6})) == 0);
  }
}

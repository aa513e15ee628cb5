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

// By torch.nn.BatchNorm1d(2) of Python, weight 2, -1, bias 0.5, 0, and two batches of training.
TEST_CASE("batch normalisation is PyTorch's, with the statistics that it keeps") {
  nn::Norm module(nn::NormOptions{.d_model = 2, .kind = nn::NormKind::batch});
  const torch::NoGradGuard no_gradients;
  module->weight.copy_(torch::tensor({2.0, -1.0}));
  module->bias.copy_(torch::tensor({0.5, 0.0}));
  const auto x = torch::tensor({1.0F, 2.0F, 2.0F, -3.0F, 4.0F, 0.5F}).view({3, 2});
  const auto made = torch::zeros({}), useless = torch::ones({});
  CHECK(difference(module(x), {-1.638082862, -1.034223318, -0.034520626, 1.352445841, 3.172603846,
                               -0.318222582}) < 1e-6);
  CHECK(difference(module->mean, torch::zeros({2})) == 0);  // before the step
  module->keep_statistics(made);
  CHECK(difference(module->mean, {0.233333334, -0.016666668}) < 1e-7);
  CHECK(difference(module->variance, {1.133333325, 1.558333278}) < 1e-6);
  module(torch::full({2, 2}, NAN));
  module->keep_statistics(useless);  // nothing of a step that is not made remains
  CHECK(difference(module->mean, {0.233333334, -0.016666668}) < 1e-7);
  module(torch::tensor({0.0F, 1.0F, 3.0F, 3.0F}).view({2, 2}));
  module->keep_statistics(made);
  CHECK(difference(module->mean, {0.360000014, 0.185000002}) < 1e-6);
  CHECK(difference(module->variance, {1.470000029, 1.602499962}) < 1e-6);
  module->eval();
  CHECK(difference(module(x.unsqueeze(0)),
                   {1.555722594, -1.433759212, 3.205289364, 2.515990734, 6.504422665, -0.248834252}) < 1e-6);
}

// The textbook's matrix: each row is normalised, or each column.
TEST_CASE("layer and batch normalisation of [[1, 2], [2, 3]]") {
  const auto x = torch::tensor({1.0F, 2.0F, 2.0F, 3.0F}).view({2, 2});
  constexpr double kOne = 0.9999800006;  // ε is 1e-5
  const auto of = [&](nn::NormKind kind) { return nn::Norm(nn::NormOptions{.d_model = 2, .kind = kind})(x); };
  CHECK(difference(of(nn::NormKind::layer), {-kOne, kOne, -kOne, kOne}) < 1e-6);
  CHECK(difference(of(nn::NormKind::batch), {-kOne, -kOne, kOne, kOne}) < 1e-6);
}

TEST_CASE("in training a batch normalises packed sequences alone, and gradients are not of its averages") {
  nn::Norm module(nn::NormOptions{.d_model = 6, .kind = nn::NormKind::batch});
  CHECK_THROWS_WITH(module(torch::ones({2, 3, 6})), ContainsSubstring("expected packed sequences"));
  module->to(torch::kDouble);
  const auto x = test::variable({5, 6}, "x");
  test::check_gradients(
      [&] {
        return (module(x) * test::pattern({5, 6}, "loss")).sum();
      },
      {module->weight, module->bias, x});
  CHECK_FALSE(module->mean.requires_grad());
  CHECK_FALSE(module->variance.requires_grad());
}

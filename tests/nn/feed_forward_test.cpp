#include "transformer/nn/feed_forward.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

namespace {

nn::FeedForward feed_forward(const nn::FeedForwardOptions& options) {
  return test::with_pattern(nn::FeedForward(options));
}

torch::Tensor activated(const torch::Tensor& x, nn::Activation activation) {
  if (activation == nn::Activation::relu) return x * x.gt(0);
  if (activation == nn::Activation::gelu) return 0.5 * x * (1.0 + torch::erf(x / std::sqrt(2.0)));
  if (activation == nn::Activation::gelu_tanh)
    return 0.5 * x * (1.0 + torch::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x.pow(3))));
  return x / (1.0 + torch::exp(-x));
}

}  // namespace

TEST_CASE("the feed-forward network is two affine maps with an activation between them") {
  for (const auto activation : all_values<nn::Activation>()) {
    INFO("activation " << static_cast<int>(activation));
    auto module = feed_forward({.d_model = 4, .d_ff = 10, .activation = activation});
    CHECK(module->inner->weight.sizes() == torch::IntArrayRef({10, 4}));
    CHECK(module->outer->weight.sizes() == torch::IntArrayRef({4, 10}));
    const auto x = 2.0 * test::pattern({2, 3, 4}, "x");
    const auto inner = x.matmul(module->inner->weight.t()) + module->inner->bias;
    const auto expected =
        activated(inner, activation).matmul(module->outer->weight.t()) + module->outer->bias;
    CHECK(difference(module(x), expected) < 1e-12);
  }
}

TEST_CASE("the feed-forward network treats every position alike") {
  auto module = feed_forward({.d_model = 4, .d_ff = 10});
  const auto x = test::pattern({1, 5, 4}, "x");
  const auto order = torch::tensor({3, 1, 4, 0, 2});
  CHECK(difference(module(x.index_select(1, order)), module(x).index_select(1, order)) < 1e-14);
}

TEST_CASE("the feed-forward network's gradients equal finite differences") {
  torch::manual_seed(5);
  for (const auto activation : all_values<nn::Activation>()) {
    auto module = feed_forward({.d_model = 4, .d_ff = 6, .activation = activation});
    const auto x = test::variable({2, 3, 4}, "x");
    auto variables = module->parameters();
    variables.push_back(x);
    test::check_gradients([&] { return module(x).pow(2).sum(); }, variables);
  }
}

TEST_CASE("activation dropout falls behind the activation, in training alone") {
  torch::manual_seed(6);
  auto module = feed_forward({.d_model = 4, .d_ff = 4, .dropout = 0.5});
  const auto x = test::pattern({50, 4}, "x");
  torch::NoGradGuard no_gradients;
  module->outer->weight.copy_(torch::eye(4, torch::kDouble));
  module->outer->bias.zero_();
  const auto inner = torch::relu(module->inner(x));
  const auto output = module(x);
  CHECK(difference(output, 2.0 * inner * output.ne(0)) < 1e-12);
  CHECK(output.ne(0).sum().item<std::int64_t>() < inner.ne(0).sum().item<std::int64_t>());
  module->eval();
  CHECK(difference(module(x), inner) < 1e-14);
}

TEST_CASE("the feed-forward layers' fast paths compute what their operations one by one compute") {
  for (const auto kind : {nn::FeedForwardKind::positionwise, nn::FeedForwardKind::glu,
                          nn::FeedForwardKind::swiglu, nn::FeedForwardKind::geglu}) {
    for (const double dropout : {0.0, 0.3}) {
      INFO(nn::name_of(kind) << ", dropout " << dropout);
      torch::manual_seed(8);
      nn::FeedForward module(
          nn::FeedForwardOptions{.d_model = 16, .d_ff = 40, .kind = kind, .dropout = dropout});
      const auto x = torch::randn({3, 50, 16}).requires_grad_();
      auto variables = module->parameters();
      variables.push_back(x);
      const auto loss = torch::randn({3, 50, 16});
      const auto gradients = [&](const torch::Tensor& y) {
        return torch::autograd::grad({y}, variables, {loss});
      };
      torch::manual_seed(9);  // one mask for all
      const auto found = module(x);
      torch::manual_seed(9);
      const auto expected = module->reference(x);
      CHECK(test::difference(found, expected) < 1e-5);
      const auto of_found = gradients(found), of_expected = gradients(expected);
      for (std::size_t i = 0; i < variables.size(); ++i)
        CHECK(test::difference(of_found[i], of_expected[i]) < 1e-4);
      torch::manual_seed(9);
      CHECK(test::difference(module(x.to(torch::kBFloat16)), expected) < 0.05);
    }
  }
}

TEST_CASE("the feed-forward network is two convolutions of width 1 (section 3.3)") {
  auto module = feed_forward({.d_model = 4, .d_ff = 10});
  const auto x = test::pattern({2, 3, 4}, "x");
  const auto convolved = [](const torch::Tensor& rows, const torch::nn::Linear& layer) {
    return torch::conv1d(rows, layer->weight.unsqueeze(2), layer->bias);  // (B, I, T) → (B, O, T)
  };
  const auto inner = convolved(x.transpose(1, 2), module->inner).clamp_min(0);
  CHECK(difference(module(x), convolved(inner, module->outer).transpose(1, 2)) < 1e-13);
}

TEST_CASE("a gate multiplies the inner layer") {
  for (const auto kind :
       {nn::FeedForwardKind::glu, nn::FeedForwardKind::swiglu, nn::FeedForwardKind::geglu}) {
    INFO(nn::name_of(kind));
    auto module = feed_forward({.d_model = 4, .d_ff = 10, .kind = kind});
    CHECK(module->parameters().size() == 6);
    const auto x = 2.0 * test::pattern({2, 3, 4}, "x");
    const auto affine = [&](const torch::nn::Linear& layer) {
      return x.matmul(layer->weight.t()) + layer->bias;
    };
    const auto values = affine(module->inner), gate = affine(module->gate);
    const auto inner = kind == nn::FeedForwardKind::glu ? at::glu(torch::cat({values, gate}, -1), -1)
                       : kind == nn::FeedForwardKind::geglu
                           ? values * activated(gate, nn::Activation::gelu_tanh)
                           : values * activated(gate, nn::Activation::swish);
    CHECK(difference(module(x), inner.matmul(module->outer->weight.t()) + module->outer->bias) < 1e-12);
    torch::manual_seed(5);
    const auto variables = module->parameters();
    test::check_gradients([&] { return (module(x) * test::pattern({2, 3, 4}, "loss")).sum(); }, variables);
  }
  CHECK_THROWS(nn::FeedForward(nn::FeedForwardOptions{.kind = nn::FeedForwardKind::none}));
}

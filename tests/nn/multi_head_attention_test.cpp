#include "transformer/nn/multi_head_attention.h"

#include <torch/autograd.h>

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "tests/nn/constants_torch.h"
#include "transformer/nn/init.h"

using namespace transformer;
using test::difference;

namespace {

nn::MultiHeadAttention attention(const nn::MultiHeadAttentionOptions& options) {
  torch::manual_seed(11);
  nn::MultiHeadAttention module(options);
  nn::initialize(*module);
  return module;
}

/// The second sentence's last key is padding.
torch::Tensor mask() {
  auto result = torch::ones({2, 1, 1, 4}, torch::kBool);
  result[1][0][0][3] = false;
  return result;
}

}  // namespace

TEST_CASE("multi-head attention and its gradients equal torch.nn.MultiheadAttention's") {
  auto module = test::with_pattern(nn::MultiHeadAttention(
      nn::MultiHeadAttentionOptions{.d_model = 8, .heads = 2, .d_k = 4, .d_v = 4, .bias = true}));
  const auto x = test::variable({2, 3, 8}, "x"), memory = test::variable({2, 4, 8}, "memory");
  test::check_reference(*module, module(x, memory, mask()), {x, memory}, test::multi_head_attention);
}

TEST_CASE("each head attends with its own d_k and d_v, whatever d_model is") {
  const nn::MultiHeadAttentionOptions options{.d_model = 6, .heads = 3, .d_k = 5, .d_v = 2};
  auto module = attention(options);
  CHECK(module->query->weight.sizes() == torch::IntArrayRef({15, 6}));
  CHECK(module->key->weight.sizes() == torch::IntArrayRef({15, 6}));
  CHECK(module->value->weight.sizes() == torch::IntArrayRef({6, 6}));
  CHECK(module->output->weight.sizes() == torch::IntArrayRef({6, 6}));
  CHECK(module->parameters().size() == 4);  // no biases unless asked for

  const auto x = torch::randn({2, 3, 6}), memory = torch::randn({2, 4, 6});
  std::vector<torch::Tensor> heads;
  for (std::int64_t h = 0; h < 3; ++h) {
    const auto q = x.matmul(module->query->weight.slice(0, 5 * h, 5 * h + 5).t());
    const auto k = memory.matmul(module->key->weight.slice(0, 5 * h, 5 * h + 5).t());
    const auto v = memory.matmul(module->value->weight.slice(0, 2 * h, 2 * h + 2).t());
    heads.push_back(torch::softmax(q.matmul(k.transpose(1, 2)) / std::sqrt(5.0), -1).matmul(v));
  }
  const auto expected = torch::cat(heads, -1).matmul(module->output->weight.t());
  CHECK(difference(module(x, memory, torch::Tensor()), expected) < 1e-6);
}

TEST_CASE("what asks, what answers and the result may have widths of their own") {
  // A chapter's attention: 5 wide in, 100 wide out, 10 heads.
  auto chapter =
      attention({.d_model = 100, .query_width = 5, .memory_width = 5, .heads = 10, .d_k = 10, .d_v = 10});
  CHECK(chapter(torch::ones({2, 4, 5}), torch::ones({2, 6, 5}), torch::Tensor()).sizes() ==
        torch::IntArrayRef({2, 4, 100}));
  std::int64_t parameters = 0;
  for (const auto& weight : chapter->parameters()) parameters += weight.numel();
  CHECK(parameters == 3 * 5 * 100 + 100 * 100);

  auto module =
      attention({.d_model = 4, .query_width = 3, .memory_width = 5, .heads = 1, .d_k = 2, .d_v = 6});
  const auto x = torch::randn({2, 3, 3}), memory = torch::randn({2, 4, 5});
  const auto q = x.matmul(module->query->weight.t()), k = memory.matmul(module->key->weight.t());
  const auto v = memory.matmul(module->value->weight.t());
  const auto attended = torch::softmax(q.matmul(k.transpose(1, 2)) / std::sqrt(2.0), -1).matmul(v);
  const auto expected = attended.matmul(module->output->weight.t());
  CHECK(expected.sizes() == torch::IntArrayRef({2, 3, 4}));
  CHECK(difference(module(x, memory, torch::Tensor()), expected) < 1e-6);
  CHECK(difference(module->attend(x, module->keys_and_values(memory), torch::Tensor()), expected) < 1e-6);
}

TEST_CASE("projecting the memory ahead changes nothing, and the weights are those that are applied") {
  auto module = attention({.d_model = 8, .heads = 2, .d_k = 4, .d_v = 4, .bias = true});
  const auto x = torch::randn({2, 3, 8}), memory = torch::randn({2, 4, 8});
  const auto kept = module->keys_and_values(memory);
  CHECK(kept.keys.sizes() == torch::IntArrayRef({2, 2, 4, 4}));
  CHECK(kept.values.sizes() == torch::IntArrayRef({2, 2, 4, 4}));
  const auto output = module(x, memory, mask());
  CHECK(difference(module->attend(x, kept, mask()), output) < 1e-6);

  const auto weights = module->weights(x, kept, mask());
  CHECK(weights.sizes() == torch::IntArrayRef({2, 2, 3, 4}));
  CHECK(difference(weights.sum(-1), torch::ones({2, 2, 3})) < 1e-6);
  CHECK(weights[1].select(-1, 3).abs().max().item<double>() == 0.0);
  CHECK(difference(module->output(weights.matmul(kept.values).transpose(1, 2).flatten(2)), output) < 1e-6);
}

TEST_CASE("what stands behind the mask does not matter, nor how much of it there is") {
  auto module = attention({.d_model = 8, .heads = 2, .d_k = 3, .d_v = 3});
  const auto x = torch::randn({2, 3, 8}), memory = torch::randn({2, 4, 8});
  const auto expected = module(x, memory, torch::Tensor());
  const auto padded = torch::cat({memory, 100 * torch::randn({2, 5, 8})}, 1);
  const auto visible = torch::arange(9).lt(4).view({1, 1, 1, 9});
  CHECK(difference(module(x, padded, visible), expected) < 1e-6);
}

TEST_CASE("multi-head attention's gradients equal finite differences") {
  auto module = attention({.d_model = 6, .heads = 2, .d_k = 4, .d_v = 3, .bias = true});
  module->to(torch::kDouble);
  const auto x = torch::randn({2, 3, 6}, torch::kDouble).requires_grad_();
  const auto memory = torch::randn({2, 4, 6}, torch::kDouble).requires_grad_();
  auto variables = module->parameters();
  variables.insert(variables.end(), {x, memory});
  test::check_gradients([&] { return module(x, memory, mask()).pow(2).sum(); }, variables);
}

TEST_CASE("attention dropout falls in training alone") {
  auto module = attention({.d_model = 8, .heads = 2, .d_k = 4, .d_v = 4, .dropout = 0.5});
  auto plain = attention({.d_model = 8, .heads = 2, .d_k = 4, .d_v = 4});
  const auto x = torch::randn({2, 3, 8});
  const auto expected = plain(x, x, torch::Tensor());
  CHECK(difference(module(x, x, torch::Tensor()), expected) > 1e-3);
  module->eval();
  CHECK(difference(module(x, x, torch::Tensor()), expected) < 1e-6);
}

TEST_CASE("sizes of attention that make no sense are refused") {
  CHECK_THROWS_WITH(nn::MultiHeadAttention(nn::MultiHeadAttentionOptions{.heads = 0}),
                    ContainsSubstring("heads 0"));
  CHECK_THROWS_WITH(nn::MultiHeadAttention(nn::MultiHeadAttentionOptions{.d_v = -1}),
                    ContainsSubstring("d_v -1"));
}

TEST_CASE("without the scale, scores are the products themselves") {
  const nn::MultiHeadAttentionOptions options{
      .d_model = 6, .heads = 1, .d_k = 5, .d_v = 2, .bias = true, .scale = false};
  auto module = test::with_pattern(nn::MultiHeadAttention(options));
  const auto x = test::pattern({2, 3, 6}, "x"), memory = test::pattern({2, 4, 6}, "memory");
  const auto affine = [](const torch::Tensor& rows, const torch::nn::Linear& layer) {
    return rows.matmul(layer->weight.t()) + layer->bias;
  };
  const auto scores = affine(x, module->query).matmul(affine(memory, module->key).transpose(1, 2));
  const auto expected =
      affine(torch::softmax(scores, -1).matmul(affine(memory, module->value)), module->output);
  CHECK(difference(module(x, memory, torch::Tensor()), expected) < 1e-13);
  CHECK(difference(module->weights(x, module->keys_and_values(memory), {}).squeeze(1),
                   torch::softmax(scores, -1)) < 1e-13);
}

// Section 3.2.1: for large d_k products grow large, where the softmax has extremely small gradients.
TEST_CASE("unscaled scores of a large d_k make the softmax's gradients vanish, scaled ones do not") {
  torch::manual_seed(2);
  const auto mean_gradient = [](std::int64_t d_k, bool scaled) {
    const auto queries = torch::randn({200, d_k}), keys = torch::randn({200, 8, d_k});  // mean 0, variance 1
    auto scores = torch::einsum("nk,nsk->ns", {queries, keys});
    if (scaled) scores = scores / std::sqrt(static_cast<double>(d_k));
    const auto weights = torch::softmax(scores, -1);
    // The Jacobian's diagonal, p (1 - p), of each row's largest weight.
    const auto largest = std::get<0>(weights.max(-1));
    return (largest * (1 - largest)).mean().item<double>();
  };
  const double small = mean_gradient(4, true), large = mean_gradient(1024, true);
  CHECK(large == Approx(small).epsilon(0.25));
  CHECK(mean_gradient(4, false) > small / 2);
  CHECK(mean_gradient(1024, false) < small / 10);
}

#include "transformer/ops/attention.h"

#include <torch/autograd.h>

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/nn/masks.h"
#include "transformer/ops/dropout.h"

using namespace transformer;
using test::difference;

namespace {

torch::Tensor matrix(const std::vector<std::vector<double>>& rows) {
  std::vector<torch::Tensor> tensors;
  for (const auto& row : rows) tensors.push_back(torch::tensor(row, torch::kDouble));
  return torch::stack(tensors);
}

torch::Tensor one_head(const torch::Tensor& x) {
  return x.unsqueeze(0).unsqueeze(0);
}  // (1, 1, T, K)

struct Inputs {
  torch::Tensor query, key, value;  // (2, 3, 5, 4), (2, 3, 7, 4), (2, 3, 7, 4)
};

Inputs random_inputs(std::int64_t queries = 5) {
  torch::manual_seed(7);
  return {torch::randn({2, 3, queries, 4}).requires_grad_(), torch::randn({2, 3, 7, 4}).requires_grad_(),
          torch::randn({2, 3, 7, 4}).requires_grad_()};
}

/// Each query on its own, by the formula, with its permitted keys alone.
torch::Tensor by_definition(const Inputs& in, const torch::Tensor& mask) {
  const auto batch = in.query.size(0), heads = in.query.size(1), queries = in.query.size(2);
  const auto permitted = mask.expand({batch, heads, queries, in.key.size(2)});
  auto result = torch::zeros({batch, heads, queries, in.value.size(3)}, torch::kDouble);
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t t = 0; t < queries; ++t) {
        const auto keys = permitted[b][h][t].nonzero().squeeze(1);
        if (keys.numel() == 0) continue;
        const auto k = in.key[b][h].index_select(0, keys).to(torch::kDouble);
        const auto v = in.value[b][h].index_select(0, keys).to(torch::kDouble);
        const auto scores = k.matmul(in.query[b][h][t].to(torch::kDouble)) / std::sqrt(in.query.size(3));
        result[b][h][t] = (scores.exp() / scores.exp().sum()).matmul(v);
      }
  return result;
}

}  // namespace

TEST_CASE("attention reproduces a head worked out by hand") {
  const auto x = matrix({{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}});
  const auto q = x.matmul(matrix({{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}}));
  const auto k = x.matmul(matrix({{0, 0, 1}, {1, 1, 0}, {0, 1, 0}, {1, 1, 0}}));
  const auto v = x.matmul(matrix({{0, 2, 0}, {0, 3, 0}, {1, 0, 3}, {1, 1, 0}}));
  REQUIRE(torch::equal(q, matrix({{1, 0, 2}, {2, 2, 2}, {2, 1, 3}})));
  REQUIRE(torch::equal(k, matrix({{0, 1, 1}, {4, 4, 0}, {2, 3, 1}})));
  REQUIRE(torch::equal(v, matrix({{1, 2, 3}, {2, 8, 0}, {2, 6, 3}})));

  const auto unscaled = one_head(q) * std::sqrt(3.0);  // that example does not divide by √d_k
  const auto weights = ops::attention_weights(unscaled, one_head(k), {});
  CHECK(difference(weights[0][0][0], {0.0634, 0.4683, 0.4683}) < 5e-5);
  const auto scores = matrix({{2, 4, 4}, {4, 16, 12}, {4, 12, 10}});
  CHECK(difference(weights[0][0], torch::softmax(scores, -1)) < 1e-12);
  CHECK(difference(ops::attention_weights(one_head(q), one_head(k), {})[0][0],
                   torch::softmax(scores / std::sqrt(3.0), -1)) < 1e-12);

  const std::vector<double> first{1.9366, 6.6831, 1.5951};
  CHECK(difference(ops::reference_attention(unscaled, one_head(k), one_head(v), {})[0][0][0], first) < 5e-5);
  const auto fused = ops::scaled_dot_product_attention(
      unscaled.to(torch::kFloat), one_head(k).to(torch::kFloat), one_head(v).to(torch::kFloat), {});
  CHECK(difference(fused[0][0][0], first) < 5e-5);
}

TEST_CASE("scaling by the root of d_k keeps the softmax soft and its gradients alive") {
  // One query of 1024 numbers and three keys whose scores are 60, 0 and -10.
  auto query = torch::zeros({1, 1, 1, 1024}, torch::kDouble);
  query[0][0][0][0] = 1.0;
  auto key = torch::zeros({1, 1, 3, 1024}, torch::kDouble);
  key.select(3, 0).copy_(torch::tensor({60.0, 0.0, -10.0}, torch::kDouble).view({1, 1, 3}));

  auto scaled = query.clone().requires_grad_(), unscaled = (query * 32.0).requires_grad_();
  const auto soft = ops::attention_weights(scaled, key, {}).flatten();
  CHECK(difference(soft, {0.79016912, 0.12117636, 0.08865452}) < 1e-8);
  const auto hard = ops::attention_weights(unscaled, key, {}).flatten();
  CHECK(hard[0].item<double>() == Approx(1.0));
  CHECK(hard[1].item<double>() == Approx(8.7565108e-27).epsilon(1e-7));
  CHECK(hard[2].item<double>() == Approx(3.9754497e-31).epsilon(1e-7));

  soft[0].backward();
  hard[0].backward();
  CHECK(scaled.grad().abs().max().item<double>() > 0.1);
  CHECK(unscaled.grad().abs().max().item<double>() < 1e-20);
}

TEST_CASE("fused attention, the reference and the definition agree under every kind of mask") {
  const auto in = random_inputs(), again = random_inputs();
  torch::manual_seed(8);
  const auto any = torch::rand({2, 3, 5, 7}).lt(0.6);
  const auto row = torch::rand({2, 1, 1, 7}).lt(0.6);
  const auto causal = torch::ones({1, 1, 5, 7}, torch::kBool).tril();
  for (const auto& mask : {torch::Tensor(), row, causal, any}) {
    INFO("mask " << (mask.defined() ? "given" : "absent"));
    const auto fused = ops::scaled_dot_product_attention(in.query, in.key, in.value, mask);
    const auto spelled = ops::reference_attention(again.query, again.key, again.value, mask);
    const auto expected = by_definition(in, mask.defined() ? mask : torch::ones({1, 1, 1, 7}, torch::kBool));
    CHECK(difference(fused, expected) < 2e-6);
    CHECK(difference(spelled, expected) < 2e-6);

    const auto loss = torch::sin(torch::arange(fused.numel())).view(fused.sizes());
    const auto a = torch::autograd::grad({(fused * loss).sum()}, {in.query, in.key, in.value});
    const auto b = torch::autograd::grad({(spelled * loss).sum()}, {again.query, again.key, again.value});
    for (std::size_t i = 0; i < 3; ++i) CHECK(difference(a[i], b[i]) < 5e-6);
  }
}

TEST_CASE("keys and values may be one tensor and heads of values need not have the size of keys") {
  const auto in = random_inputs();
  const auto mask = torch::ones({1, 1, 1, 7}, torch::kBool);
  const Inputs same{in.query, in.key, in.key};
  CHECK(difference(ops::scaled_dot_product_attention(same.query, same.key, same.value, {}),
                   by_definition(same, mask)) < 2e-6);
  for (const std::int64_t d_v : {1, 2, 9}) {
    const Inputs other{in.query, in.key, torch::randn({2, 3, 7, d_v})};
    const auto output = ops::scaled_dot_product_attention(other.query, other.key, other.value, {});
    CHECK(output.sizes() == torch::IntArrayRef({2, 3, 5, d_v}));
    CHECK(difference(output, by_definition(other, mask)) < 2e-6);
  }
}

TEST_CASE("a query without any permitted key yields zeros and finite gradients") {
  auto mask = torch::ones({2, 1, 5, 7}, torch::kBool);
  mask[1].fill_(false);        // a whole sentence
  mask[0][0][3].fill_(false);  // one query
  for (const bool fused : {true, false}) {
    for (const auto type : {torch::kFloat, torch::kBFloat16, torch::kDouble}) {
      INFO((fused ? "fused " : "reference ") << type);
      const auto in = random_inputs();
      const auto q = in.query.to(type), k = in.key.to(type), v = in.value.to(type);
      const auto output =
          fused ? ops::scaled_dot_product_attention(q, k, v, mask) : ops::reference_attention(q, k, v, mask);
      CHECK(test::finite(output));
      CHECK(output[1].abs().max().item<double>() == 0.0);
      CHECK(output.select(2, 3).abs().max().item<double>() == 0.0);
      CHECK(output[0].select(1, 2).abs().min().item<double>() > 0.0);

      const auto gradients =
          torch::autograd::grad({output.pow(2).sum() + output.sum()}, {in.query, in.key, in.value});
      for (const auto& gradient : gradients) CHECK(test::finite(gradient));
      CHECK(gradients[0][1].abs().max().item<double>() == 0.0);
      CHECK(gradients[2][1].abs().max().item<double>() == 0.0);
    }
  }
}

TEST_CASE("attention in bf16 is close to attention in fp32") {
  const auto in = random_inputs();
  const auto mask = nn::causal_mask(5, torch::kCPU).expand({1, 1, 5, 5});
  const auto key = in.key.slice(2, 0, 5), value = in.value.slice(2, 0, 5);
  const auto exact = ops::scaled_dot_product_attention(in.query, key, value, mask);
  const auto rounded = ops::scaled_dot_product_attention(
      in.query.to(torch::kBFloat16), key.to(torch::kBFloat16), value.to(torch::kBFloat16), mask);
  CHECK(rounded.scalar_type() == torch::kBFloat16);
  CHECK(difference(rounded, exact) < 0.03);
}

TEST_CASE(
    "attention with a mask that is added equals the definition, in each type and for heads of any sizes") {
  const torch::NoGradGuard no_gradients;
  const auto in = random_inputs();
  torch::manual_seed(8);
  const auto permitted = torch::rand({2, 1, 5, 7}) < 0.6;
  permitted.select(3, 2).fill_(true);
  const auto hidden = torch::zeros(permitted.sizes()).masked_fill(permitted.logical_not(), -INFINITY);
  const auto bias = torch::randn({3, 5, 7});
  for (const auto& value : {in.value, torch::cat({in.value, in.key}, -1)}) {
    const auto compute = [&](const torch::Tensor& mask, torch::ScalarType type) {
      return ops::added_mask_attention(in.query.to(type), in.key.to(type), value.to(type), mask.to(type));
    };
    const auto expected = ops::reference_attention(in.query, in.key, value, permitted);
    const auto with_bias = ops::reference_attention(in.query, in.key, value, permitted, 0.0, bias);
    for (const auto type : {torch::kFloat, torch::kDouble}) {
      CHECK(difference(compute(hidden, type), expected) < 1e-6);
      CHECK(difference(compute(hidden + bias, type), with_bias) < 1e-6);
    }
    CHECK(difference(compute(hidden + bias, torch::kBFloat16), with_bias) < 0.05);
  }
}

TEST_CASE("attention's gradients equal finite differences") {
  torch::manual_seed(3);
  const auto q = torch::randn({2, 2, 3, 4}, torch::kDouble).requires_grad_();
  const auto k = torch::randn({2, 2, 5, 4}, torch::kDouble).requires_grad_();
  const auto v = torch::randn({2, 2, 5, 3}, torch::kDouble).requires_grad_();
  auto mask = torch::rand({2, 1, 3, 5}).lt(0.7);
  mask[0][0][1].fill_(false);
  test::check_gradients([&] { return ops::scaled_dot_product_attention(q, k, v, mask).pow(2).sum(); },
                        {q, k, v});
}

TEST_CASE("attention dropout removes weights and scales those that stay") {
  torch::manual_seed(4);
  const auto q = torch::randn({1, 2, 30, 4}), k = torch::randn({1, 2, 40, 4});
  const auto identity = torch::eye(40).expand({1, 2, 40, 40}).contiguous();
  const auto weights = ops::attention_weights(q, k, {});
  const auto output = ops::scaled_dot_product_attention(q, k, identity, {}, 0.25);
  const auto kept = output.ne(0);
  CHECK(difference(output, weights * kept / 0.75) < 1e-6);
  CHECK(kept.to(torch::kDouble).mean().item<double>() ==
        Approx(0.75).margin(5 * std::sqrt(0.25 * 0.75 / 2400)));
}

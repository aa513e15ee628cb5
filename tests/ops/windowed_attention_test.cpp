#include "transformer/ops/windowed_attention.h"

#include <torch/autograd.h>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/ops/attention.h"

using namespace transformer;
using test::difference;

TEST_CASE("a window's mask permits the keys so far away and no farther") {
  const auto keys = torch::arange(6);
  const auto all = ops::window_mask(keys, keys, 2);
  REQUIRE(all.sizes() == torch::IntArrayRef({6, 6}));
  for (std::int64_t t = 0; t < 6; ++t)
    for (std::int64_t s = 0; s < 6; ++s) CHECK(all[t][s].item<bool>() == (std::abs(t - s) <= 2));
  // The queries are the last ones.
  CHECK(torch::equal(ops::window_mask(keys.slice(0, 4), keys, 2), all.slice(0, 4)));
}

TEST_CASE("attention in blocks equals attention under the window's mask, with all gradients") {
  torch::manual_seed(3);
  for (const std::int64_t length : {1, 5, 40, 97})
    for (const std::int64_t window : {1, 2, 20, 45, 100})
      for (const bool causal : {false, true})
        for (const bool masked : {false, true}) {
          INFO(length << " positions, window " << window << ", causal " << causal << ", masked " << masked);
          const auto variable = [&](std::int64_t size) {
            return torch::randn({2, 3, length, size}, torch::kDouble).requires_grad_();
          };
          const auto query = variable(4), key = variable(4), value = variable(5);
          auto keys = torch::ones({2, 1, 1, length}, torch::kBool);
          if (masked) keys[0].slice(-1, (length + 1) / 2) = false;
          const auto real =
              keys.transpose(2, 3).to(torch::kDouble);  // (2, 1, T, 1): what hidden positions get is nobody's
          auto visible = ops::window_mask(torch::arange(length), torch::arange(length), window);
          if (causal) visible = visible.tril();
          const auto expected = ops::reference_attention(query, key, value, visible.logical_and(keys)) * real;
          const auto found =
              ops::windowed_attention(query, key, value, masked ? keys : torch::Tensor(), window, causal) *
              real;
          CHECK(difference(found, expected) < 1e-12);
          const auto direction = torch::randn_like(expected);
          const auto gradients = [&](const torch::Tensor& y) {
            return torch::autograd::grad({(y * direction).sum()}, {query, key, value});
          };
          const auto of_found = gradients(found), of_expected = gradients(expected);
          for (std::size_t i = 0; i < 3; ++i) CHECK(difference(of_found[i], of_expected[i]) < 1e-12);
        }
}

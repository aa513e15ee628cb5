#include "transformer/ops/sequences.h"

#include <torch/autograd.h>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/fused_attention.h"
#include "transformer/ops/sequences_of.h"

using namespace transformer;
using ops::sequences_of;
using test::difference;

TEST_CASE("padding and packing are each other's inverse, and each other's gradient") {
  const auto three = sequences_of({2, 3, 1});
  const auto x = torch::arange(1, 13).view({6, 2}).to(torch::kDouble).requires_grad_();
  const auto padded = ops::pad(x, three);
  CHECK(
      torch::equal(padded.select(-1, 0), torch::tensor({{1, 3, 0}, {5, 7, 9}, {11, 0, 0}}, torch::kDouble)));
  CHECK(torch::equal(ops::pack(padded, three), x));
  const auto weights = torch::randn_like(padded);
  CHECK(torch::equal(torch::autograd::grad({(padded * weights).sum()}, {x})[0], ops::pack(weights, three)));
  CHECK(torch::equal(three.padding_mask().flatten(1),
                     torch::tensor({{true, true, false}, {true, true, true}, {true, false, false}})));
}

TEST_CASE("attention over packed sequences is that over each of them alone, with its gradients") {
  const auto type = GENERATE(torch::kFloat, torch::kDouble);  // with kernels, and padded
  const auto kv_heads = GENERATE(0, 1, 2);
  const ops::HeadSizes sizes{.heads = 4, .d_k = 8, .d_v = 5, .kv_heads = kv_heads};
  const std::vector<std::int64_t> source_lengths{4, 40, 1, 17}, target_lengths{3, 1, 35, 17};
  const auto sources = sequences_of(source_lengths), targets = sequences_of(target_lengths);
  torch::manual_seed(4);
  const auto leaf = [&](std::int64_t rows, std::int64_t width) {
    return torch::randn({rows, width}, type).requires_grad_();
  };
  const auto self = leaf(targets.rows(), sizes.queries() + sizes.keys() + sizes.values()),
             query = leaf(targets.rows(), sizes.queries()),
             memory = leaf(sources.rows(), sizes.keys() + sizes.values()),
             bias = torch::randn({sizes.heads, targets.longest, targets.longest}).requires_grad_();
  const auto heads = [&](const torch::Tensor& x) { return ops::split_heads(x.unsqueeze(0), sizes.heads); };
  const auto shared = [&](const torch::Tensor& x) {
    return ops::repeat_heads(ops::split_heads(x.unsqueeze(0), sizes.heads_of_keys()),
                             sizes.heads / sizes.heads_of_keys());
  };
  const auto alone = [&](const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                         const torch::Tensor& mask, const torch::Tensor& own_bias) {
    return ops::join_heads(ops::reference_attention(heads(q), shared(k), shared(v), mask, 0.0, own_bias))
        .squeeze(0);
  };
  const auto compare = [&](const torch::Tensor& found, const std::vector<torch::Tensor>& each,
                           const std::vector<torch::Tensor>& inputs) {
    const auto expected = torch::cat(each);
    CHECK(difference(found, expected) < 1e-5);
    const auto loss = torch::randn_like(found);
    const auto gradients = torch::autograd::grad({found}, inputs, {loss}),
               of_each = torch::autograd::grad({expected}, inputs, {loss});
    for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(difference(gradients[i], of_each[i]) < 2e-5);
  };
  for (const bool causal : {false, true}) {
    for (const auto& [biased, window] : {std::pair(false, 0), {true, 0}, {false, 3}, {true, 3}}) {
      INFO((causal ? "causal " : "") << (biased ? "biased " : "") << "window " << window);
      std::vector<torch::Tensor> each;
      for (std::size_t b = 0; b < target_lengths.size(); ++b) {
        const auto n = target_lengths[b];
        const auto rows = self.narrow(0, targets.host_offsets()[b], n);
        const auto parts = rows.split_with_sizes({sizes.queries(), sizes.keys(), sizes.values()}, -1);
        auto visible = torch::ones({n, n}, torch::kBool);
        if (causal) visible = visible.tril();
        if (window > 0) visible = visible.tril(window).triu(-window);
        each.push_back(alone(parts[0], parts[1], parts[2], visible,
                             biased ? bias.slice(1, 0, n).slice(2, 0, n) : torch::Tensor()));
      }
      auto mask = ops::AttentionMask::packed(targets, targets, causal);
      mask.window = window;
      auto inputs = std::vector<torch::Tensor>{self};
      if (biased) inputs.push_back(bias);
      compare(ops::fused_self_attention(self, mask, sizes, 0.0, biased ? bias : torch::Tensor()), each,
              inputs);
    }
  }
  std::vector<torch::Tensor> each;
  for (std::size_t b = 0; b < target_lengths.size(); ++b) {
    const auto parts = memory.narrow(0, sources.host_offsets()[b], source_lengths[b])
                           .split_with_sizes({sizes.keys(), sizes.values()}, -1);
    each.push_back(
        alone(query.narrow(0, targets.host_offsets()[b], target_lengths[b]), parts[0], parts[1], {}, {}));
  }
  compare(
      ops::fused_cross_attention(query, memory, ops::AttentionMask::packed(targets, sources, false), sizes),
      each, {query, memory});
}

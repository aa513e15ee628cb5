#include "transformer/ops/fused_attention.h"

#include <ATen/Parallel.h>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/nn/masks.h"
#include "transformer/ops/attention.h"

using namespace transformer;
using test::difference;

namespace {

constexpr ops::HeadSizes kSizes{.heads = 3, .d_k = 8, .d_v = 5};
constexpr std::int64_t kSentences = 2, kQueries = 6, kKeys = 7;

torch::Tensor heads(const torch::Tensor& x) {
  return x.unflatten(-1, {kSizes.heads, -1}).transpose(1, 2);
}

torch::Tensor by_definition(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                            const torch::Tensor& mask, const torch::Tensor& bias = {}) {
  return ops::reference_attention(heads(q), heads(k), heads(v), mask, 0.0, bias).transpose(1, 2).flatten(-2);
}

torch::Tensor leaf(std::int64_t length, std::int64_t width) {
  return torch::randn({kSentences, length, width}).requires_grad_();
}

torch::Tensor padding() {
  return nn::padding_mask(torch::tensor({{5, 5, 5, 5, 5, 5, 5}, {5, 5, 5, 1, 1, 1, 1}}), 1);
}

void check_gradients_alike(const torch::Tensor& found, const torch::Tensor& expected,
                           const std::vector<torch::Tensor>& inputs) {
  CHECK(difference(found, expected) < 1e-5);
  const auto loss = torch::randn_like(found);
  const auto of_found = torch::autograd::grad({found}, inputs, {loss});
  const auto of_expected = torch::autograd::grad({expected}, inputs, {loss});
  for (std::size_t i = 0; i < inputs.size(); ++i) CHECK(difference(of_found[i], of_expected[i]) < 1e-5);
}

}  // namespace

TEST_CASE("fused self-attention is attention by its definition, with its gradients") {
  torch::manual_seed(1);
  const auto projected = leaf(kQueries, 2 * kSizes.keys() + kSizes.values());
  const auto parts = projected.split_with_sizes({kSizes.keys(), kSizes.keys(), kSizes.values()}, -1);
  for (const auto& mask : {torch::Tensor(), nn::causal_mask(kQueries, torch::kCPU)}) {
    check_gradients_alike(ops::fused_self_attention(projected, mask, kSizes),
                          by_definition(parts[0], parts[1], parts[2], mask), {projected});
    const auto bias = torch::randn({kSizes.heads, kQueries, kQueries}).requires_grad_();
    check_gradients_alike(ops::fused_self_attention(projected, mask, kSizes, 0.0, bias),
                          by_definition(parts[0], parts[1], parts[2], mask, bias), {projected, bias});
    const auto fixed = bias.detach();
    check_gradients_alike(ops::fused_self_attention(projected, mask, kSizes, 0.0, fixed),
                          by_definition(parts[0], parts[1], parts[2], mask, fixed), {projected});
  }
}

TEST_CASE("fused cross-attention is attention by its definition, with its gradients") {
  torch::manual_seed(2);
  const auto query = leaf(kQueries, kSizes.keys());
  const auto memory = leaf(kKeys, kSizes.keys() + kSizes.values());
  const auto parts = memory.split_with_sizes({kSizes.keys(), kSizes.values()}, -1);
  for (const auto& mask : {torch::Tensor(), padding()}) {
    check_gradients_alike(ops::fused_cross_attention(query, memory, mask, kSizes),
                          by_definition(query, parts[0], parts[1], mask), {query, memory});
  }
}

TEST_CASE("fused attention takes any type and dropout, by other ways") {
  torch::manual_seed(3);
  const auto projected = leaf(kQueries, 2 * kSizes.keys() + kSizes.values());
  const auto mask = nn::causal_mask(kQueries, torch::kCPU);
  const auto exact = ops::fused_self_attention(projected.to(torch::kDouble), mask, kSizes);
  CHECK(exact.scalar_type() == torch::kDouble);
  CHECK(difference(ops::fused_self_attention(projected, mask, kSizes), exact) < 1e-5);
  CHECK(difference(ops::fused_self_attention(projected.to(torch::kBFloat16), mask, kSizes), exact) < 0.05);
  CHECK(difference(ops::fused_self_attention(projected, mask, kSizes, 0.5), exact) > 0.1);
}

TEST_CASE("fused attention does not depend on the number of threads") {
  torch::manual_seed(4);
  const auto projected = torch::randn({40, kQueries, 2 * kSizes.keys() + kSizes.values()});
  const auto many = ops::fused_self_attention(projected, {}, kSizes);
  const auto threads = at::get_num_threads();
  at::set_num_threads(1);
  CHECK(torch::equal(ops::fused_self_attention(projected, {}, kSizes), many));
  at::set_num_threads(threads);
}

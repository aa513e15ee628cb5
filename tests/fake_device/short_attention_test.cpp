// The own kernel for attention over short sentences, on the fake device by the CPU's compiler.
#include <algorithm>

#include "tests/catch.h"
#include "tests/fake_device/own_kernels.h"
#include "tests/fake_device/tested_device.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/fused_attention.h"

using namespace transformer;
using test::check_near;
using test::precision_of;
using test::WithoutOwnKernels;

namespace {

/// Sentences of these lengths behind each other.
ops::Sequences sentences(const std::vector<std::int64_t>& lengths, const torch::Device& device) {
  ops::Sequences all;
  all.offsets = torch::cat({torch::zeros({1}, torch::kLong), torch::tensor(lengths).cumsum(0)});
  all.device_offsets = all.offsets.to(torch::kInt).to(device);
  std::vector<torch::Tensor> places;
  for (const auto length : lengths) places.push_back(torch::arange(length));
  all.places = torch::cat(places).to(device);
  all.longest = *std::max_element(lengths.begin(), lengths.end());
  return all;
}

/// Attention by the definition, in fp64 on the CPU, from numbers as they are rounded.
torch::Tensor defined_attention(const torch::Tensor& query, const torch::Tensor& key,
                                const torch::Tensor& value, const ops::AttentionMask& mask,
                                std::int64_t heads) {
  std::vector<torch::Tensor> outputs;
  const auto *from = mask.queries->host_offsets(), *of_keys = mask.keys->host_offsets();
  for (std::int64_t i = 0; i < mask.queries->size(); ++i) {
    const auto rows = [&](const torch::Tensor& x, const std::int64_t* offsets) {
      return ops::split_heads(x.slice(0, offsets[i], offsets[i + 1]).unsqueeze(0), heads);
    };
    const auto q = rows(query, from), k = rows(key, of_keys), v = rows(value, of_keys);
    torch::Tensor visible;
    if (mask.causal) visible = torch::ones({q.size(2), k.size(2)}, torch::kBool).tril();
    outputs.push_back(ops::join_heads(ops::reference_attention(q, k, v, visible)).squeeze(0));
  }
  return torch::cat(outputs);
}

torch::Tensor leaf(const torch::Tensor& x) {
  return x.detach().clone().requires_grad_();
}

}  // namespace

TEST_CASE("the kernel for short sentences computes attention and its gradients", "[device]") {
  const auto device = test::tested_device();
  const auto type = GENERATE(torch::kBFloat16, torch::kHalf);
  const bool causal = GENERATE(true, false);
  const std::int64_t longest = GENERATE(5, 32, 33, 64), d_k = GENERATE(16, 64), d_v = GENERATE(16, 48);
  const std::int64_t heads = 3;
  INFO(type << ", causal " << causal << ", longest " << longest << ", d_k " << d_k << ", d_v " << d_v);
  const auto queries = sentences({longest, 1, 4, longest / 2 + 1}, device);
  const auto keys = causal ? queries : sentences({3, longest, 1, longest - 1}, device);
  const auto mask = ops::AttentionMask::packed(queries, keys, causal);
  torch::manual_seed(7);
  const auto random = [&](std::int64_t rows, std::int64_t width) {
    return torch::randn({rows, width}).to(type);
  };
  const auto given_query = random(queries.rows(), heads * d_k),
             given_memory = random(keys.rows(), heads * (d_k + d_v)),
             gradient = random(queries.rows(), heads * d_v);
  const auto query = leaf(given_query.to(device)), memory = leaf(given_memory.to(device));
  if (!device.is_cuda()) test::fake_device::reset();
  const auto found = ops::fused_cross_attention(query, memory, mask, {heads, d_k, d_v});
  found.backward(gradient.to(device));
  if (!device.is_cuda()) {
    const auto ending =
        std::string(longest > 32 ? "_64" : "_32") + (type == torch::kHalf ? "_fp16" : "_bf16");
    const auto operations = test::fake_device::counts().operations;
    CHECK(operations.at("short_attention" + ending) > 0);
    CHECK(operations.at("short_attention_backward" + ending) > 0);
  }

  const auto exact_query = leaf(given_query.to(torch::kDouble)),
             exact_memory = leaf(given_memory.to(torch::kDouble));
  const auto parts = exact_memory.split_with_sizes({heads * d_k, heads * d_v}, -1);
  const auto expected = defined_attention(exact_query, parts[0], parts[1], mask, heads);
  expected.backward(gradient.to(torch::kDouble));
  const auto share = [](const torch::Tensor& a, const torch::Tensor& b) {
    return ((a.cpu().to(torch::kDouble) - b).norm() / b.norm()).item<double>();
  };
  CHECK(share(found.detach(), expected.detach()) < precision_of(type));
  CHECK(share(query.grad(), exact_query.grad()) < 1.5 * precision_of(type));
  CHECK(share(memory.grad(), exact_memory.grad()) < 1.5 * precision_of(type));
}

TEST_CASE("queries, keys and values in one tensor have their gradients in one from the kernel", "[device]") {
  const auto device = test::tested_device();
  const std::int64_t heads = 2, size = 32;
  const auto rows = sentences({7, 40, 16}, device);
  const auto mask = ops::AttentionMask::packed(rows, rows, /*causal=*/true);
  torch::manual_seed(8);
  const auto given = torch::randn({rows.rows(), 3 * heads * size}).to(torch::kBFloat16);
  const auto gradient = torch::randn({rows.rows(), heads * size}).to(torch::kBFloat16);
  const auto numbers = [&] {
    const auto x = leaf(given.to(device));
    const auto y = ops::fused_self_attention(x, mask, {heads, size, size});
    y.backward(gradient.to(device));
    return std::vector<torch::Tensor>{y.detach(), x.grad()};
  };
  numbers();  // compiles the kernel, and compares it
  if (!device.is_cuda()) test::fake_device::reset();
  const auto found = numbers();
  if (!device.is_cuda()) {
    const auto operations = test::fake_device::counts().operations;
    CHECK(operations.at("short_attention_64_bf16") == 1);
    CHECK(operations.at("short_attention_backward_64_bf16") == 1);
    CHECK_FALSE(operations.contains("aten::cat.out"));
  }
  const WithoutOwnKernels off;
  const auto expected = numbers();
  for (std::size_t i = 0; i < found.size(); ++i) check_near(found[i], expected[i], 0.03, 0.03);
}

TEST_CASE("what the kernel for short sentences does not know goes to others") {
  const auto device = test::tested_device();
  const auto counts_of = [&](std::int64_t longest, std::int64_t size, torch::ScalarType type) {
    const auto rows = sentences({3, longest}, device);
    const auto mask = ops::AttentionMask::packed(rows, rows, /*causal=*/false);
    const auto x = torch::randn({rows.rows(), 3 * 2 * size}).to(type).to(device);
    test::fake_device::reset();
    ops::fused_self_attention(x, mask, {2, size, size});
    std::int64_t own = 0;
    for (const auto& [name, count] : test::fake_device::counts().operations)
      if (name.starts_with("short_attention")) own += count;
    return own;
  };
  counts_of(20, 32, torch::kBFloat16);  // compiles the kernel, and compares it
  CHECK(counts_of(20, 32, torch::kBFloat16) == 1);
  CHECK(counts_of(64, 64, torch::kHalf) == 1);
  CHECK(counts_of(65, 32, torch::kBFloat16) == 0);
  CHECK(counts_of(20, 24, torch::kBFloat16) == 0);
  CHECK(counts_of(20, 80, torch::kBFloat16) == 0);
  CHECK(counts_of(20, 32, torch::kFloat) == 0);
}

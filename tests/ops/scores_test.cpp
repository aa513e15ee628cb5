#include "transformer/ops/scores.h"

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

TEST_CASE("the kernel of additive scores gives the definition's values and gradients, in fp32 and bf16") {
  torch::manual_seed(3);
  const std::int64_t batch = 2, heads = 3, queries = 5, keys = 7, width = 18;
  for (const auto type : {torch::kFloat, torch::kBFloat16}) {
    const auto rows = [&](std::int64_t count) { return torch::randn({batch, count, heads, width}).to(type); };
    // Heads of rows, as modules have them, and keys whose elements do not stand next to each other.
    const auto query = rows(queries).transpose(1, 2).requires_grad_();
    const auto key = rows(keys).permute({0, 3, 2, 1}).contiguous().permute({0, 2, 3, 1}).requires_grad_();
    const auto weight = torch::randn({heads, width}).to(type).requires_grad_();
    const auto found = ops::additive_scores(query, key, weight);
    const auto expected = ops::reference_additive_scores(query, key, weight);
    CHECK(found.grad_fn()->name() != expected.grad_fn()->name());
    CHECK(found.scalar_type() == torch::kFloat);
    CHECK(difference(found, expected) < 1e-5);
    const auto loss = torch::randn_like(found);
    const auto of_found = torch::autograd::grad({found}, {query, key, weight}, {loss});
    const auto of_expected = torch::autograd::grad({expected}, {query, key, weight}, {loss});
    for (std::size_t i = 0; i < of_found.size(); ++i) {
      CHECK(of_found[i].scalar_type() == type);
      CHECK(difference(of_found[i], of_expected[i]) < (type == torch::kFloat ? 1e-5 : 0.05));
    }
  }
}

TEST_CASE("additive scores of what the kernel does not know are the definition's") {
  const auto query = torch::randn({2, 1, 3, 4}), key = torch::randn({1, 1, 2, 4}),
             weight = torch::randn({1, 4});
  CHECK(torch::equal(ops::additive_scores(query, key, weight),
                     ops::reference_additive_scores(query, key, weight)));  // one sentence's keys for two
  const auto wide = ops::additive_scores(query.to(torch::kDouble), key.to(torch::kDouble), weight);
  CHECK(wide.scalar_type() == torch::kDouble);
  CHECK(ops::additive_scores(query.slice(2, 0, 0), key, weight).sizes() == torch::IntArrayRef({2, 1, 0, 2}));
}

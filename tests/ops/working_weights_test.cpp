#include "transformer/ops/working_weights.h"

#include "tests/catch.h"
#include "transformer/ops/linear.h"

using namespace transformer;

TEST_CASE("a parameter's copy is kept until it changes") {
  ops::WorkingWeights kept;
  const ops::WorkingWeights::Use use(kept);
  const auto first = torch::randn({3, 2}).requires_grad_(), second = torch::randn({4, 2}).requires_grad_();
  const auto copy = ops::working({first, second}, torch::kBFloat16);
  CHECK(torch::equal(copy, torch::cat({first, second}).to(torch::kBFloat16)));
  CHECK(ops::working({first, second}, torch::kBFloat16).is_same(copy));
  {
    const torch::NoGradGuard no_gradients;
    second.add_(1.0);
  }
  CHECK(torch::equal(ops::working({first, second}, torch::kBFloat16),
                     torch::cat({first, second}).to(torch::kBFloat16)));
  CHECK_FALSE(ops::working({first}, torch::kBFloat16).is_same(copy));
}

// They lived as long as a training once: attention without its scale projects queries by such a one.
TEST_CASE("of what is computed from a parameter no copy is kept, with gradients and without") {
  ops::WorkingWeights kept;
  const ops::WorkingWeights::Use use(kept);
  const auto parameter = torch::randn({3, 2}).requires_grad_();
  const auto x = torch::randn({5, 2}).to(torch::kBFloat16);
  for (const bool gradients : {true, false}) {
    const torch::AutoGradMode mode(gradients);
    const auto computed = parameter * 2.0, beside = parameter * 3.0;
    CHECK(torch::equal(ops::linear(x, computed), torch::linear(x, computed.to(torch::kBFloat16))));
    CHECK(ops::joint_linear(x, {computed, beside, parameter}, {{}, {}, {}}).size(-1) == 9);
    CHECK(computed.use_count() == 1);
    CHECK(beside.use_count() == 1);
  }
}

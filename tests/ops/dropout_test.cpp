#include "transformer/ops/dropout.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"

using namespace transformer;
using test::difference;

TEST_CASE("dropout zeroes a share p of the elements and scales the others") {
  torch::manual_seed(1);
  const std::int64_t n = 200000;
  const auto x = torch::rand({n}) + 0.5;
  for (const double p : {0.1, 0.3, 0.5, 0.9}) {
    INFO("p " << p);
    const auto y = ops::dropout(x, p, true);
    const auto kept = y.ne(0);
    const double share = 1.0 - kept.to(torch::kDouble).mean().item<double>();
    CHECK(share == Approx(p).epsilon(0).margin(5 * std::sqrt(p * (1 - p) / n)));
    CHECK(difference(y, x * kept / (1.0 - p)) < 1e-5);
    const double sigma = x.std().item<double>() + std::sqrt(p / (1 - p)) * 1.2;  // generous
    CHECK(y.mean().item<double>() ==
          Approx(x.mean().item<double>()).epsilon(0).margin(5 * sigma / std::sqrt(n)));
  }
}

TEST_CASE("neighbouring elements are dropped independently") {
  torch::manual_seed(2);
  const std::int64_t n = 400000;
  const auto zero = ops::dropout(torch::ones({n}), 0.5, true).eq(0).to(torch::kDouble);
  for (std::int64_t distance = 1; distance <= 8; ++distance) {
    INFO("distance " << distance);
    const auto both = (zero.slice(0, 0, n - distance) * zero.slice(0, distance, n)).mean().item<double>();
    CHECK(both == Approx(0.25).epsilon(0).margin(5 * std::sqrt(0.3 / n)));
  }
}

TEST_CASE("dropout is the identity when p is 0 or outside training") {
  const auto x = torch::randn({3, 4});
  CHECK(torch::equal(ops::dropout(x, 0.0, true), x));
  CHECK(torch::equal(ops::dropout(x, 0.7, false), x));
}

TEST_CASE("the gradient passes where the value passed, by the same scale") {
  torch::manual_seed(3);
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kBFloat16}) {
    const auto x = torch::ones({7, 5, 3}, type).requires_grad_();
    const auto y = ops::dropout(x, 0.4, true);
    CHECK(y.scalar_type() == type);
    y.sum().backward();
    CHECK(torch::equal(x.grad(), y.detach()));
    CHECK(y.eq(0).any().item<bool>());
    CHECK(y.ne(0).any().item<bool>());
  }
}

TEST_CASE("dropout takes any shape and stride") {
  torch::manual_seed(4);
  for (const auto& x :
       {torch::rand({1}) + 1, torch::rand({3}) + 1, torch::rand({5, 7}).t() + 1,
        (torch::rand({4, 3, 2}) + 1).transpose(0, 2), torch::rand({6, 6}).slice(1, 1, 4) + 1}) {
    const auto y = ops::dropout(x, 0.25, true);
    CHECK(y.sizes() == x.sizes());
    CHECK(difference(y, x * y.ne(0) * (1.0 / 0.75)) < 1e-6);
  }
  CHECK(ops::dropout(torch::rand({0, 4}), 0.5, true).sizes() == torch::IntArrayRef({0, 4}));
}

TEST_CASE("the seed decides what is dropped") {
  const auto x = torch::ones({1000});
  torch::manual_seed(5);
  const auto first = ops::dropout(x, 0.5, true), second = ops::dropout(x, 0.5, true);
  torch::manual_seed(5);
  CHECK(torch::equal(ops::dropout(x, 0.5, true), first));
  CHECK(torch::equal(ops::dropout(x, 0.5, true), second));
  CHECK_FALSE(torch::equal(first, second));
}

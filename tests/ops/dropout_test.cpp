#include "transformer/ops/dropout.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "tests/catch.h"
#include "tests/nn/checks.h"
#include "transformer/ops/attention.h"
#include "transformer/ops/residual_norm.h"

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

namespace {

/// The mask of the `layer`-th dropout, as zeros and ones, of all heads' or positions' rows.
torch::Tensor mask_of(at::IntArrayRef shape, const std::vector<std::int64_t>& examples,
                      std::uint64_t seed = 1, std::int64_t update = 1, int layer = 0,
                      torch::ScalarType type = torch::kFloat, double p = 0.3) {
  ops::DropoutScope scope(seed, update, examples);
  torch::Tensor y;
  for (int i = 0; i <= layer; ++i) y = ops::dropout(torch::ones(shape, type), p, true);
  return y.ne(0).to(torch::kDouble);
}

/// Of two masks: 0 up to chance where they are independent.
double correlation(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - a.mean()) * (b - b.mean())).mean().item<double>() / (a.std() * b.std()).item<double>();
}

}  // namespace

TEST_CASE("in a scope a mask is a function of seed, update, layer, example and position") {
  const auto first = mask_of({4, 50, 256}, {7, 2, 9, 100});
  const double n = 4 * 50 * 256;
  CHECK(first.mean().item<double>() == Approx(0.7).epsilon(0).margin(5 * std::sqrt(0.21 / n)));
  CHECK(torch::equal(mask_of({4, 50, 256}, {7, 2, 9, 100}), first));
  // Neither the order of the examples, nor which others there are, nor padding matters, in fp32 or bf16.
  const auto other =
      mask_of({3, 70, 300}, {9, 1, 7}, 1, 1, 0, torch::kBFloat16).slice(1, 0, 50).slice(2, 0, 256);
  CHECK(torch::equal(other[0], first[2]));
  CHECK(torch::equal(other[2], first[0]));
  const auto heads = mask_of({2, 8, 20, 30}, {7, 2}), more_heads = mask_of({1, 8, 33, 41}, {2});
  CHECK(torch::equal(more_heads.slice(2, 0, 20).slice(3, 0, 30)[0], heads[1]));

  const auto independent = [](const torch::Tensor& a, const torch::Tensor& b) {
    CHECK(std::abs(correlation(a, b)) < 5 / std::sqrt(static_cast<double>(a.numel())));
  };
  independent(first, mask_of({4, 50, 256}, {7, 2, 9, 100}, 2));        // another seed
  independent(first, mask_of({4, 50, 256}, {7, 2, 9, 100}, 1, 2));     // update
  independent(first, mask_of({4, 50, 256}, {7, 2, 9, 100}, 1, 1, 1));  // layer
  independent(first, mask_of({4, 50, 256}, {8, 3, 10, 101}));          // examples
  independent(first[0], first[1]);                                     // two examples
  independent(first.slice(1, 0, 49), first.slice(1, 1));               // two positions
  independent(first.slice(2, 0, 255), first.slice(2, 1));              // two elements
  independent(first.slice(2, 0, 128), first.slice(2, 128));            // far ones
  independent(heads.slice(1, 0, 7), heads.slice(1, 1));                // two heads
  // Position (1, 0) is not (0, 1), nor is example 1 at 0 example 0 at 1.
  const auto square = mask_of({2, 2, 4096}, {0, 1});
  independent(square[0][1], square[1][0]);
}

TEST_CASE("packed rows have the masks of the padded ones") {
  const std::vector<std::int64_t> examples{7, 2, 9};
  const auto offsets = torch::tensor({0, 3, 4, 9}, torch::kLong);
  const ops::Sequences sequences{.offsets = offsets,
                                 .device_offsets = offsets.to(torch::kInt),
                                 .places = torch::tensor({0, 1, 2, 0, 0, 1, 2, 3, 4}, torch::kLong),
                                 .longest = 5};
  const auto padded = mask_of({3, 5, 64}, examples);
  {
    const ops::PackedRows rows(sequences);
    CHECK(torch::equal(mask_of({9, 64}, examples), ops::pack(padded, sequences)));
    CHECK(torch::equal(mask_of({3, 5, 64}, examples), padded));  // what is padded on the way
  }
  CHECK_FALSE(torch::equal(mask_of({9, 64}, examples), ops::pack(padded, sequences)));
}

TEST_CASE("what has not the examples' rows follows from the scope too, and differs for other examples") {
  for (const auto& shape : {std::vector<std::int64_t>{1000}, {12, 100}}) {
    CHECK(torch::equal(mask_of(shape, {1, 2}), mask_of(shape, {1, 2})));
    CHECK_FALSE(torch::equal(mask_of(shape, {1, 2}), mask_of(shape, {1, 3})));
    CHECK_FALSE(torch::equal(mask_of(shape, {1, 2}), mask_of(shape, {1, 2}, 1, 1, 1)));
  }
}

TEST_CASE("a scope draws nothing from the generator, and ends where it ends") {
  const auto x = torch::ones({2, 1000});
  torch::manual_seed(6);
  const auto outside = ops::dropout(x, 0.5, true);
  torch::manual_seed(6);
  {
    const ops::DropoutScope outer(1, 1, {0, 1});
    const auto first = ops::dropout(x, 0.5, true);
    {
      const ops::DropoutScope inner(1, 1, {0, 1});
      CHECK(torch::equal(ops::dropout(x, 0.5, true), first));
    }
    CHECK_FALSE(torch::equal(ops::dropout(x, 0.5, true), first));  // the outer one's second
  }
  CHECK(torch::equal(ops::dropout(x, 0.5, true), outside));
}

TEST_CASE("threads change no mask") {
  const auto threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto alone = mask_of({16, 64, 256}, std::vector<std::int64_t>(16, 3));
  at::set_num_threads(3);
  const auto together = mask_of({16, 64, 256}, std::vector<std::int64_t>(16, 3));
  at::set_num_threads(threads);
  CHECK(torch::equal(together, alone));
}

TEST_CASE("gradients after a scope's end are those of its masks: by differences, of attention, of the norm") {
  torch::manual_seed(8);
  const auto in_scope = [](const auto& body) {
    const ops::DropoutScope scope(5, 6, {3, 1});
    return body();
  };
  const auto check = [&](const torch::Tensor& x, const auto& function, double tolerance) {
    const auto leaf = x.clone().requires_grad_();
    const auto y = in_scope([&] { return function(leaf); });
    const auto weights = torch::randn_like(y), direction = torch::randn_like(x);
    const auto gradient = torch::autograd::grad({y}, {leaf}, {weights})[0];
    const auto at = [&](double step) {
      const auto moved = in_scope([&] { return function(x + step * direction); });
      return (moved * weights).to(torch::kDouble).sum().template item<double>();
    };
    const double slope = (at(0.01) - at(-0.01)) / 0.02;
    const double expected = (gradient * direction).to(torch::kDouble).sum().template item<double>();
    CHECK(slope == Approx(expected).epsilon(0).margin(tolerance));
  };
  check(
      torch::randn({2, 5, 16}), [](const auto& x) { return ops::dropout(x, 0.4, true); }, 1e-2);
  const auto k = torch::randn({2, 4, 6, 8}), v = torch::randn({2, 4, 6, 8});
  check(
      torch::randn({2, 4, 5, 8}),
      [&](const auto& q) { return ops::reference_attention(q, k, v, {}, 0.4, {}); }, 1e-2);
  const auto x = torch::randn({2, 5, 16}), weight = torch::randn({16}), bias = torch::randn({16});
  const auto norm = [&](const auto& z) { return ops::residual_norm(x, z, weight, bias, 1e-5, 0.4); };
  check(torch::randn({2, 5, 16}), norm, 2e-2);
  // One pass over memory and operation by operation: the same mask.
  const auto z = torch::randn({2, 5, 16});
  CHECK(difference(in_scope([&] { return norm(z); }), in_scope([&] {
                     return ops::reference_residual_norm(x, z, weight, bias, 1e-5, 0.4);
                   })) < 1e-5);
}

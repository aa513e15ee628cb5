#include "transformer/kernels/residual_norm.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"
#include "transformer/base/random.h"

namespace transformer::kernels {
namespace {

using test::data;
using test::floats;
using test::halves;

struct Run {
  torch::Tensor y, x_gradient, z_gradient, weight_gradient, bias_gradient;
};

template <typename T>
Run run(Isa isa, const torch::Tensor& x, const torch::Tensor& z, const torch::Tensor& weight,
        const torch::Tensor& bias, const torch::Tensor& y_gradient, const DropoutMask& mask) {
  const auto rows = x.size(0), width = x.size(1);
  Run r{torch::empty_like(x), torch::empty_like(x), torch::empty_like(x), torch::zeros_like(weight),
        torch::zeros_like(bias)};
  auto sum = torch::empty_like(x), mean = torch::empty({rows}), inverse = torch::empty({rows});
  const auto& k = residual_norm(isa);
  const ResidualNorm<T> forward{0,           rows,           width,        1e-5F,
                                mask,        floats(weight), floats(bias), data<T>(x),
                                data<T>(z),  data<T>(sum),   floats(mean), floats(inverse),
                                data<T>(r.y)};
  const ResidualNormBackward<T> backward{0,
                                         rows,
                                         width,
                                         mask,
                                         floats(weight),
                                         data<T>(sum),
                                         floats(mean),
                                         floats(inverse),
                                         data<T>(y_gradient),
                                         data<T>(r.x_gradient),
                                         data<T>(r.z_gradient),
                                         floats(r.weight_gradient),
                                         floats(r.bias_gradient)};
  if constexpr (std::is_same_v<T, float>) {
    k.forward(forward);
    k.backward(backward);
  } else {
    k.forward_bf16(forward);
    k.backward_bf16(backward);
  }
  return r;
}

/// The same by LibTorch's own operations, in double precision.
Run by_autograd(const torch::Tensor& x, const torch::Tensor& z, const torch::Tensor& weight,
                const torch::Tensor& bias, const torch::Tensor& y_gradient, const torch::Tensor& factors) {
  const auto leaf = [](const torch::Tensor& t) { return t.to(torch::kDouble).requires_grad_(); };
  const auto dx = leaf(x), dz = leaf(z), dweight = leaf(weight), dbias = leaf(bias);
  const auto y = torch::layer_norm(dx + dz * factors, {x.size(1)}, dweight, dbias, 1e-5);
  y.backward(y_gradient.to(torch::kDouble));
  return {y.detach(), dx.grad(), dz.grad(), dweight.grad(), dbias.grad()};
}

/// One for each row.
std::vector<std::uint64_t> seeds_from(std::uint64_t first, std::int64_t rows) {
  Random random(first);
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(rows));
  for (auto& seed : seeds) seed = random.next();
  return seeds;
}

/// Which factors the mask stands for: LayerNorm's sum with x = 0, z = 1.
torch::Tensor factors_of(Isa isa, const DropoutMask& mask, std::int64_t rows, std::int64_t width) {
  auto sum = torch::empty({rows, width}), mean = torch::empty({rows}), inverse = torch::empty({rows});
  const auto x = torch::zeros_like(sum), z = torch::ones_like(sum), y = torch::empty_like(sum);
  const auto weight = torch::ones({width}), bias = torch::zeros({width});
  residual_norm(isa).forward({0, rows, width, 1e-5F, mask, floats(weight), floats(bias), floats(x), floats(z),
                              floats(sum), floats(mean), floats(inverse), floats(y)});
  return sum;
}

}  // namespace

TEST_CASE("residual, dropout and norm in one are what LibTorch computes in three") {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {1, 5, 16, 40, 256}) {
      for (const double p : {0.0, 0.3}) {
        INFO("level " << static_cast<int>(isa) << ", width " << width << ", dropout " << p);
        const std::int64_t rows = 7;
        const auto seeds = seeds_from(0x123456789abcdef0, rows);
        const auto mask = DropoutMask::with_probability(p, seeds.data());
        const auto x = torch::randn({rows, width}) + 3, z = torch::randn({rows, width});
        const auto weight = torch::randn({width}), bias = torch::randn({width});
        const auto dy = torch::randn({rows, width});
        const auto factors = factors_of(isa, mask, rows, width);
        const auto compare = [&](const Run& found, const Run& expected, double tolerance) {
          test::check_close(found.y, expected.y, tolerance);
          test::check_close(found.x_gradient, expected.x_gradient, tolerance);
          if (p > 0) test::check_close(found.z_gradient, expected.z_gradient, tolerance);
          test::check_close(found.weight_gradient, expected.weight_gradient, tolerance);
          test::check_close(found.bias_gradient, expected.bias_gradient, tolerance);
        };
        // One column has no variance: what its gradients are is a matter of rounding alone.
        if (width > 1)
          compare(run<float>(isa, x, z, weight, bias, dy, mask), by_autograd(x, z, weight, bias, dy, factors),
                  2e-5);
        const auto half = [](const torch::Tensor& t) { return t.to(torch::kBFloat16); };
        if (width > 5)
          compare(run<Bf16>(isa, half(x), half(z), weight, bias, half(dy), mask),
                  by_autograd(half(x), half(z), weight, bias, half(dy), factors), 4e-2);
      }
    }
  }
}

TEST_CASE(
    "a dropout mask drops the share it is asked to, differs for each seed, and is the same on each level") {
  const auto seeds = seeds_from(7, 1000), others = seeds_from(8, 1000);
  const auto mask = DropoutMask::with_probability(0.3, seeds.data()),
             other = DropoutMask::with_probability(0.3, others.data());
  const auto factors = factors_of(Isa::portable, mask, 1000, 256);
  const double kept = factors.ne(0).to(torch::kDouble).mean().item<double>();
  CHECK(std::abs(kept - 0.7) < 5 * std::sqrt(0.3 * 0.7 / 256000));
  CHECK(factors.max().item<float>() == static_cast<float>(1 / 0.7));
  const auto both = factors.ne(0).logical_and(factors_of(Isa::portable, other, 1000, 256).ne(0));
  CHECK(std::abs(both.to(torch::kDouble).mean().item<double>() - 0.49) < 5 * std::sqrt(0.49 * 0.51 / 256000));
  // Neighbours in a row and in a column are independent.
  const auto k = factors.ne(0);
  const auto neighbours = k.slice(1, 1).logical_and(k.slice(1, 0, -1)).to(torch::kDouble).mean();
  CHECK(std::abs(neighbours.item<double>() - 0.49) < 5 * std::sqrt(0.49 * 0.51 / 255000));
  const auto below = k.slice(0, 1).logical_and(k.slice(0, 0, -1)).to(torch::kDouble).mean();
  CHECK(std::abs(below.item<double>() - 0.49) < 5 * std::sqrt(0.49 * 0.51 / 255000));
  // A row's mask is its seed's wherever the row stands, and as far as a narrower row goes.
  const std::vector<std::uint64_t> alone = {seeds[17]};
  const auto row = factors_of(Isa::portable, DropoutMask::with_probability(0.3, alone.data()), 1, 100);
  CHECK(torch::equal(row[0], factors[17].slice(0, 0, 100)));
  for (const auto isa : test::levels()) CHECK(torch::equal(factors, factors_of(isa, mask, 1000, 256)));
}

TEST_CASE("bf16 keeps NaN and rounds to nearest, ties to even") {
  for (const auto isa : test::levels()) {
    // With x = z = the value / 2 the sum is the value.
    auto x = torch::zeros({1, 4}, torch::kBFloat16), z = torch::zeros({1, 4}, torch::kBFloat16);
    x[0][0] = 1.0, z[0][0] = 0.00390625;  // a tie: to even, downwards
    x[0][1] = 1.0, z[0][1] = 0.01171875;  // a tie: to even, upwards
    x[0][2] = std::numeric_limits<float>::quiet_NaN();
    auto sum = torch::empty_like(x), y = torch::empty_like(x);
    auto mean = torch::empty({1}), inverse = torch::empty({1});
    const auto weight = torch::ones({4}), bias = torch::zeros({4});
    residual_norm(isa).forward_bf16({0,
                                     1,
                                     4,
                                     1e-5F,
                                     {},
                                     floats(weight),
                                     floats(bias),
                                     halves(x),
                                     halves(z),
                                     halves(sum),
                                     floats(mean),
                                     floats(inverse),
                                     halves(y)});
    CHECK(sum[0][0].item<float>() == 1.0F);
    CHECK(sum[0][1].item<float>() == 1.015625F);
    CHECK(std::isnan(sum[0][2].item<float>()));
    CHECK(std::isnan(y[0][3].item<float>()));
  }
}

}  // namespace transformer::kernels

#include "transformer/kernels/residual_norm.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"
#include "transformer/base/random.h"
#include "transformer/kernels/packed_weight.h"

namespace transformer::kernels {
namespace {

using test::data;
using test::floats;
using test::halves;

template <typename T>
void forward(Isa isa, const ResidualNorm<T>& call) {
  if constexpr (std::is_same_v<T, float>)
    residual_norm(isa).forward(call);
  else
    residual_norm(isa).forward_bf16(call);
}

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
  forward<T>(isa, {.end = rows,
                   .width = width,
                   .stride = width,
                   .mask = mask,
                   .weight = floats(weight),
                   .bias = floats(bias),
                   .x = data<T>(x),
                   .z = data<T>(z),
                   .sum = data<T>(sum),
                   .mean = floats(mean),
                   .inverse = floats(inverse),
                   .y = data<T>(r.y)});
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
  if constexpr (std::is_same_v<T, float>)
    residual_norm(isa).backward(backward);
  else
    residual_norm(isa).backward_bf16(backward);
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

/// Which factors the mask stands for: the sum with x = 0, z = 1.
torch::Tensor factors_of(Isa isa, const DropoutMask& mask, std::int64_t rows, std::int64_t width) {
  auto sum = torch::empty({rows, width});
  const auto x = torch::zeros_like(sum), z = torch::ones_like(sum), y = torch::empty_like(sum);
  const auto weight = torch::ones({width}), bias = torch::zeros({width});
  residual_norm(isa).forward({.end = rows,
                              .width = width,
                              .stride = width,
                              .mask = mask,
                              .weight = floats(weight),
                              .bias = floats(bias),
                              .x = floats(x),
                              .z = floats(z),
                              .sum = floats(sum),
                              .y = floats(y)});
  return sum;
}

/// Rows of `width` columns that lie `stride` numbers apart. Runs with every optional part and without, and
/// with results written over the inputs.
template <typename T>
void check_padded_rows(Isa isa, std::int64_t width, std::int64_t stride, const DropoutMask& mask) {
  constexpr std::int64_t kRows = 5;
  constexpr bool kHalves = std::is_same_v<T, Bf16>;
  // What lies between the rows is no part of any result: NaN would show.
  const auto pad = [&](const torch::Tensor& x) {
    return torch::constant_pad_nd(x, {0, stride - width}, std::nan(""))
        .to(kHalves ? torch::kBFloat16 : torch::kFloat);
  };
  const auto columns = [&](const torch::Tensor& t) { return t.slice(1, 0, width).to(torch::kDouble); };
  const auto x = pad(torch::randn({kRows, width}) + 2), z = pad(torch::randn({kRows, width}));
  const auto weight = torch::randn({width}), bias = torch::randn({width});
  const auto norm = [&](const torch::Tensor& of) {
    return torch::layer_norm(of, {width}, weight.to(torch::kDouble), bias.to(torch::kDouble), 1e-3);
  };
  const auto check_y = [&](const torch::Tensor& y, const torch::Tensor& expected) {
    test::check_close(columns(y), expected, kHalves ? 4e-2 : 2e-5);
    CHECK(y.slice(1, width).eq(0).all().template item<bool>());
  };
  ResidualNorm<T> call{.end = kRows,
                       .width = width,
                       .stride = stride,
                       .epsilon = 1e-3F,
                       .mask = mask,
                       .weight = floats(weight),
                       .bias = floats(bias),
                       .x = data<T>(x),
                       .z = data<T>(z)};
  const auto y_of = [&](const torch::Tensor& y) {
    call.y = data<T>(y);
    forward(isa, call);
    return y;
  };

  const auto sum = torch::empty_like(x), mean = torch::empty({kRows}), inverse = torch::empty({kRows});
  call.sum = data<T>(sum), call.mean = floats(mean), call.inverse = floats(inverse);
  const auto y = y_of(torch::empty_like(x));
  const auto added = columns(x) + columns(z) * factors_of(isa, mask, kRows, width);
  check_y(y, norm(added));
  test::check_close(columns(sum), added, kHalves ? 4e-3 : 1e-6);
  test::check_close(mean, added.mean(1), 1e-6);
  test::check_close(inverse, (added.var(1, false) + 1e-3).rsqrt(), kHalves ? 1e-2 : 1e-5);

  auto of_x = x.clone();
  call.x = call.sum = data<T>(of_x);
  CHECK(torch::equal(y_of(torch::empty_like(x)), y));
  CHECK(torch::equal(columns(of_x), columns(sum)));

  call.sum = nullptr, call.mean = call.inverse = nullptr;
  call.x = data<T>(x);
  CHECK(torch::equal(y_of(torch::empty_like(x)), y));
  const auto of_z = z.clone();
  call.z = data<T>(of_z);
  CHECK(torch::equal(y_of(of_z), y));
  of_x = x.clone();
  call.x = data<T>(of_x), call.z = data<T>(z);
  CHECK(torch::equal(y_of(of_x), y));

  call.x = data<T>(x), call.z = nullptr;
  check_y(y_of(torch::empty_like(x)), norm(columns(x)));

  // Of some of the rows: the others stay as they are.
  call.begin = 1, call.end = kRows - 1;
  const auto some = y_of(torch::full_like(x, 7));
  check_y(some.slice(0, 1, -1), norm(columns(x)).slice(0, 1, -1));
  for (const auto row : {std::int64_t{0}, kRows - 1}) CHECK(some[row].eq(7).all().template item<bool>());
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

TEST_CASE("padded rows, without what is optional and in place: residual, dropout and norm are the same") {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {2, 16, 40, 64, 100, 512}) {
      for (const double p : {0.0, 0.3}) {
        INFO("level " << static_cast<int>(isa) << ", width " << width << ", dropout " << p);
        const auto seeds = seeds_from(3, 5);
        const auto mask = DropoutMask::with_probability(p, seeds.data());
        for (const auto stride : {padded(width), padded(width) + kPanel, width + 1}) {
          check_padded_rows<float>(isa, width, stride, mask);
          // Two columns' rounding to bf16 may be all of their variance.
          if (width > 5) check_padded_rows<Bf16>(isa, width, stride, mask);
        }
      }
    }
  }
}

TEST_CASE("without a mean and a bias it is RMS normalisation") {
  torch::manual_seed(2);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {1, 10, 64, 100}) {
      INFO("level " << static_cast<int>(isa) << ", width " << width);
      const auto stride = padded(width);
      const auto x = torch::constant_pad_nd(torch::randn({5, width}) + 1, {0, stride - width}, std::nan(""));
      const auto z = torch::randn_like(x), weight = torch::randn({width}), y = torch::empty_like(x);
      residual_norm(isa).forward({.end = 5,
                                  .width = width,
                                  .stride = stride,
                                  .epsilon = 1e-3F,
                                  .centred = false,
                                  .weight = floats(weight),
                                  .x = floats(x),
                                  .z = floats(z),
                                  .y = floats(y)});
      const auto sum = (x + z).slice(1, 0, width).to(torch::kDouble);
      const auto root = (sum.square().mean(1, /*keepdim=*/true) + 1e-3).sqrt();
      test::check_close(y.slice(1, 0, width), sum / root * weight, 2e-5);
      CHECK(y.slice(1, width).eq(0).all().item<bool>());
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
    const auto weight = torch::ones({4}), bias = torch::zeros({4});
    residual_norm(isa).forward_bf16({.end = 1,
                                     .width = 4,
                                     .stride = 4,
                                     .weight = floats(weight),
                                     .bias = floats(bias),
                                     .x = halves(x),
                                     .z = halves(z),
                                     .sum = halves(sum),
                                     .y = halves(y)});
    CHECK(sum[0][0].item<float>() == 1.0F);
    CHECK(sum[0][1].item<float>() == 1.015625F);
    CHECK(std::isnan(sum[0][2].item<float>()));
    CHECK(std::isnan(y[0][3].item<float>()));
  }
}

}  // namespace transformer::kernels

#include "transformer/kernels/gate.h"

#include <torch/torch.h>

#include <cmath>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {

using test::data;
using test::floats;

namespace {

torch::Tensor inside(const torch::Tensor& x) {
  return std::sqrt(2 / M_PI) * (x + 0.044715 * x.pow(3));
}

/// The formulas, in double precision.
torch::Tensor opening(const torch::Tensor& x, nn::Gate kind) {
  if (kind == nn::Gate::gelu_tanh) return 0.5 * x * (1.0 + torch::tanh(inside(x)));
  const auto s = 1.0 / (1.0 + torch::exp(-x));
  return kind == nn::Gate::swish ? x * s : s;
}

torch::Tensor slope(const torch::Tensor& x, nn::Gate kind) {
  if (kind == nn::Gate::gelu_tanh) {
    const auto t = torch::tanh(inside(x));
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * std::sqrt(2 / M_PI) * (1.0 + 3 * 0.044715 * x * x);
  }
  const auto e = torch::exp(-x);
  return kind == nn::Gate::swish ? (1.0 + e + x * e) / (1.0 + e).square() : e / (1.0 + e).square();
}

/// values and gates stand beside each other in rows.
template <typename T>
void check_gate(Isa isa, std::int64_t width, nn::Gate kind, torch::ScalarType type, double tolerance) {
  const auto both = (torch::randn({3, 2 * width}) * 3.0).to(type), dy = torch::randn({3, width}).to(type);
  const auto exact = both.to(torch::kDouble), exact_dy = dy.to(torch::kDouble);
  const auto values = exact.slice(1, 0, width), gates = exact.slice(1, width);
  auto y = torch::empty({3, width}, type), of_both = torch::empty_like(both);
  const Gating<T> forward{3, width, kind, data<T>(both), data<T>(both) + width, 2 * width, data<T>(y)};
  const GatingBackward<T> backward{forward, data<T>(dy), data<T>(of_both), data<T>(of_both) + width};
  const auto& k = gate(isa);
  test::run(k.forward, k.forward_bf16, forward);
  test::run(k.backward, k.backward_bf16, backward);
  test::check_close(y, opening(gates, kind) * values, tolerance);
  test::check_close(of_both.slice(1, 0, width), exact_dy * opening(gates, kind), tolerance);
  test::check_close(of_both.slice(1, width), exact_dy * values * slope(gates, kind), tolerance);
}

}  // namespace

TEST_CASE("a gate's three kinds, and their gradients") {
  torch::manual_seed(5);
  for (const auto isa : test::levels()) {
    for (const std::int64_t width : {3, 16, 50}) {
      for (const auto kind : {nn::Gate::sigmoid, nn::Gate::swish, nn::Gate::gelu_tanh}) {
        INFO("level " << static_cast<int>(isa) << ", width " << width << ", kind " << static_cast<int>(kind));
        check_gate<float>(isa, width, kind, torch::kFloat, 1e-6);
        check_gate<Bf16>(isa, width, kind, torch::kBFloat16, 4e-3);
      }
    }
  }
}

TEST_CASE("a gate works in place, keeps NaN, and is open or closed far beyond its ends") {
  for (const auto isa : test::levels()) {
    const auto gates = torch::tensor({std::nanf(""), 200.0F, -200.0F});
    const auto y = torch::ones({3});
    gate(isa).forward({1, 3, nn::Gate::sigmoid, floats(y), floats(gates), 3, floats(y)});
    CHECK(y.isnan()[0].item<bool>());
    CHECK(y[1].item<float>() == 1.0F);
    CHECK(y[2].item<float>() < 1e-30F);
  }
}

}  // namespace transformer::kernels

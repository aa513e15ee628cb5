#include "transformer/kernels/linear.h"

#include <torch/torch.h>

#include "tests/catch.h"
#include "tests/kernels/levels.h"

namespace transformer::kernels {
namespace {

using test::floats;

/// Rows padded with zeros to whole panels.
torch::Tensor padded_rows(const torch::Tensor& x) {
  return torch::constant_pad_nd(x, {0, padded(x.size(1)) - x.size(1)}).contiguous();
}

bool all_are(double value, const torch::Tensor& x) {
  return x.eq(value).all().item<bool>();
}

/// f(x Wᵀ + b) by the kernels, in panels first … of the weight. x: (rows, inputs)
template <typename T>
torch::Tensor product(Isa isa, const torch::Tensor& x, const PackedWeight<T>& weight,
                      std::optional<nn::Activation> activation, std::int64_t first = 0) {
  const auto& k = linear(isa);
  const auto rows = x.size(0);
  const auto padded_x = padded_rows(x);
  const auto width = padded_x.size(1), panels = weight.panels - first;
  const auto y = torch::full({rows, panels * kPanel + 5}, 9.0F);  // 5 columns that are not to be touched
  Buffer<Input<T>> rounded(rows * width);
  Buffer<float> scale(rows);
  Linear<T> call{&weight, first,        panels,    rows,      rounded.data(),
                 width,   scale.data(), floats(y), y.size(1), activation};
  if constexpr (std::is_same_v<T, float>) {
    call.x = floats(padded_x);
    k.product(call);
  } else if constexpr (std::is_same_v<T, Bf16>) {
    k.round_bf16({rows, width, floats(padded_x), rounded.data(), nullptr});
    k.product_bf16(call);
  } else {
    k.round_int8({rows, width, floats(padded_x), rounded.data(), scale.data()});
    k.product_int8(call);
  }
  CHECK(all_are(9, y.slice(1, panels * kPanel)));
  return y.slice(1, 0, panels * kPanel);
}

/// The numbers as type T holds them; int8 has a scale for each row. → (rows, columns), double
template <typename T>
torch::Tensor rounded(const torch::Tensor& x) {
  if constexpr (std::is_same_v<T, float>) return x.to(torch::kDouble);
  if constexpr (std::is_same_v<T, Bf16>) return x.to(torch::kBFloat16).to(torch::kDouble);
  const auto most = x.abs().amax(1, /*keepdim=*/true);
  const auto inverse = torch::where(most > 0, 127.0F / most, torch::zeros_like(most));
  return (x * inverse).round().to(torch::kDouble) * (most / 127.0F).to(torch::kDouble);
}

torch::Tensor activated(const torch::Tensor& x, std::optional<nn::Activation> activation) {
  if (activation == nn::Activation::relu) return torch::relu(x);
  if (activation == nn::Activation::gelu) return torch::gelu(x);
  if (activation == nn::Activation::gelu_tanh) return torch::gelu(x, "tanh");
  if (activation == nn::Activation::swish) return torch::silu(x);
  return x;
}

template <typename T>
void check_products() {
  torch::manual_seed(1);
  for (const auto isa : test::levels()) {
    for (const auto& [rows, outputs, inputs] : {std::tuple{1, 1, 1},
                                                {2, 64, 64},
                                                {3, 65, 7},
                                                {4, 200, 256},
                                                {5, 7, 130},
                                                {6, 30, 66},
                                                {7, 64, 1030},
                                                {20, 130, 96},
                                                {130, 64, 2000}}) {
      INFO("level " << static_cast<int>(isa) << ", " << rows << " x " << inputs << " -> " << outputs);
      const auto x = torch::randn({rows, inputs}), w = torch::randn({outputs, inputs}),
                 b = torch::randn({outputs});
      const auto packed = pack<T>(floats(w), floats(b), outputs, inputs);
      const auto found = product<T>(isa, x, packed, std::nullopt);
      const auto expected = torch::matmul(rounded<T>(x), rounded<T>(w).t()) + b.to(torch::kDouble);
      const double tolerance = 2e-6 * std::sqrt(static_cast<double>(inputs)) * 10;
      CHECK(torch::allclose(found.slice(1, 0, outputs).to(torch::kDouble), expected, 1e-5, tolerance));
      CHECK(all_are(0, found.slice(1, outputs)));
    }
  }
}

template <typename T>
void check_rows_are_independent() {
  torch::manual_seed(2);
  const auto x = torch::randn({41, 300}), w = torch::randn({150, 300});
  const auto packed = pack<T>(floats(w), nullptr, 150, 300);
  for (const auto isa : test::levels()) {
    const auto all = product<T>(isa, x, packed, std::nullopt);
    for (const std::int64_t count : {1, 2, 3, 4, 5, 6, 7, 8, 13}) {
      CHECK(torch::equal(product<T>(isa, x.slice(0, 11, 11 + count), packed, std::nullopt),
                         all.slice(0, 11, 11 + count)));
    }
    CHECK(torch::equal(product<T>(isa, x, packed, std::nullopt, 1), all.slice(1, kPanel)));
  }
}

}  // namespace

TEST_CASE("packed products are what LibTorch computes from the rounded factors") {
  SECTION("fp32") {
    check_products<float>();
  }
  SECTION("bf16") {
    check_products<Bf16>();
  }
  SECTION("int8") {
    check_products<std::int8_t>();
  }
}

TEST_CASE("a row's product depends neither on the other rows nor on the panels, to the last bit") {
  SECTION("fp32") {
    check_rows_are_independent<float>();
  }
  SECTION("bf16") {
    check_rows_are_independent<Bf16>();
  }
  SECTION("int8") {
    check_rows_are_independent<std::int8_t>();
  }
}

TEST_CASE("activations follow the product") {
  // A diagonal passes each number through.
  const auto x =
      torch::cat({torch::linspace(-12, 12, 61), torch::tensor({-200.0F, 0.0F, 200.0F})}).unsqueeze(0);
  const auto packed = pack<float>(floats(torch::eye(64)), nullptr, 64, 64);
  for (const auto isa : test::levels()) {
    for (const auto activation : std::initializer_list<std::optional<nn::Activation>>{
             std::nullopt, nn::Activation::relu, nn::Activation::gelu, nn::Activation::gelu_tanh,
             nn::Activation::swish}) {
      const auto found = product<float>(isa, x, packed, activation).to(torch::kDouble);
      CHECK(torch::allclose(found, activated(x.to(torch::kDouble), activation), 1e-6, 2e-6));
    }
  }
}

TEST_CASE("rows of zeros, and weights of zeros, are no trouble in int8") {
  const auto x = torch::zeros({2, 64}), w = torch::zeros({64, 64});
  const auto b = torch::randn({64});
  const auto packed = pack<std::int8_t>(floats(w), floats(b), 64, 64);
  for (const auto isa : test::levels()) {
    const auto found = product<std::int8_t>(isa, x, packed, std::nullopt);
    CHECK(torch::equal(found[0], b));
    CHECK(torch::equal(product<std::int8_t>(isa, torch::randn({1, 64}), packed, std::nullopt)[0], b));
  }
}

}  // namespace transformer::kernels

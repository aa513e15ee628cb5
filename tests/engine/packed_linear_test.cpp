#include "transformer/engine/packed_linear.h"

#include <torch/torch.h>

#include "tests/catch.h"

namespace transformer::engine {

TEST_CASE("a packed layer computes its product, or some panels of it, in any precision") {
  torch::manual_seed(1);
  const auto& kernels = kernels::linear();
  const auto x = torch::randn({9, 128}), weight = torch::randn({150, 128}), bias = torch::randn({150});
  const auto expected = torch::linear(x, weight, bias);
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::fp32, 1e-4}, {Precision::bf16, 0.2}, {Precision::int8, 0.6}}) {
    const PackedLinear layer(weight.data_ptr<float>(), bias.data_ptr<float>(), 150, 128, precision);
    CHECK(layer.width() == 192);
    Rounder round(precision, kernels);
    auto y = torch::empty({9, 192});
    layer.apply(kernels, round(x.data_ptr<float>(), 9, 128), layer.all(), y.data_ptr<float>(), 192);
    CHECK((y.slice(1, 0, 150) - expected).abs().max().item<double>() < tolerance);
    auto part = torch::empty({9, 64});
    layer.apply(kernels, round(x.data_ptr<float>(), 9, 128), {1, 1}, part.data_ptr<float>(), 64);
    CHECK(torch::equal(part, y.slice(1, 64, 128)));
  }
}

TEST_CASE("a layer may have no bias") {
  const auto weight = torch::randn({64, 64}), x = torch::randn({1, 64});
  const auto& kernels = kernels::linear();
  const PackedLinear layer(weight.data_ptr<float>(), nullptr, 64, 64, Precision::fp32);
  auto y = torch::empty({1, 64});
  layer.apply(kernels, Rounder(Precision::fp32, kernels)(x.data_ptr<float>(), 1, 64), layer.all(),
              y.data_ptr<float>(), 64);
  CHECK(torch::allclose(y, torch::linear(x, weight), 1e-4, 1e-4));
}

}  // namespace transformer::engine

// Autograd functions of other devices: what they say when their gradient is to be differentiated.
#include "transformer/ops/once_differentiable.h"

#include "tests/catch.h"
#include "tests/fake_device/tested_device.h"
#include "transformer/ops/dropout.h"
#include "transformer/ops/fused_attention.h"
#include "transformer/ops/residual_norm.h"
#include "transformer/runtime/device_choices.h"

namespace transformer::ops {
namespace {

/// The derivative of the derivative, in an only sequence of three positions of 8 numbers.
void differentiate_twice(const std::function<torch::Tensor(const torch::Tensor&)>& function) {
  const auto x = torch::ones({3, 8}).to(test::tested_device()).requires_grad_();
  const auto first = torch::autograd::grad({function(x).square().sum()}, {x}, {}, /*retain_graph=*/true,
                                           /*create_graph=*/true)[0];
  first.sum().backward();
}

}  // namespace

TEST_CASE("second derivatives are refused by name on the device, too", "[device]") {
  const auto device = test::tested_device();
  const auto normed = [&](const torch::Tensor& x) {
    const auto weight = torch::ones({8}, device);
    return residual_norm(x, x * x, weight, weight, 1e-5, /*dropout=*/0.0);
  };
  CHECK_THROWS_WITH(differentiate_twice(normed),
                    ContainsSubstring("ops::residual_norm by own kernels: the second derivative"));
  runtime::device_choices().own_kernels = false;
  CHECK_THROWS_WITH(differentiate_twice(normed),
                    ContainsSubstring("ops::residual_norm on a device: the second derivative"));
  runtime::device_choices().own_kernels = true;
  const auto offsets = torch::tensor({0, 3}, torch::kLong);
  const Sequences one{offsets, offsets.to(torch::kInt).to(device), torch::arange(3).to(device), 3};
  const auto mask = AttentionMask::packed(one, one, true);
  const HeadSizes sizes{.heads = 2, .d_k = 4, .d_v = 4};
  CHECK_THROWS_WITH(differentiate_twice([&](const torch::Tensor& x) {
                      return fused_self_attention(torch::cat({x, x, x}, -1), mask, sizes);
                    }),
                    ContainsSubstring("ops::device_attention: the second derivative"));
  CHECK_THROWS_WITH(differentiate_twice([&](const torch::Tensor& x) {
                      return fused_cross_attention(x, torch::cat({x, x}, -1), mask, sizes);
                    }),
                    ContainsSubstring("ops::device_attention: the second derivative"));
  auto numbered = one;
  numbered.examples = torch::zeros({3}, torch::kLong).to(device);
  CHECK_THROWS_WITH(differentiate_twice([&](const torch::Tensor& x) {
                      const DropoutScope scope(1, 1, {0});
                      const PackedRows rows(numbered);
                      return ops::dropout(x * x, 0.1, /*training=*/true);
                    }),
                    ContainsSubstring("ops::dropout on a device: the second derivative"));
}

}  // namespace transformer::ops

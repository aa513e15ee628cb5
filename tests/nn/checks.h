// Comparisons that several tests need.
#pragma once

#include <torch/autograd.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <vector>

#include "tests/catch.h"
#include "tests/nn/pattern.h"

namespace transformer::test {

/// The largest difference of two tensors of equal shape, in double precision.
inline double difference(const torch::Tensor& a, const torch::Tensor& b) {
  REQUIRE(a.sizes() == b.sizes());
  return (a.detach().to(torch::kDouble) - b.detach().to(torch::kDouble)).abs().max().item<double>();
}

inline double difference(const torch::Tensor& a, const std::vector<double>& b) {
  return difference(a, torch::tensor(b, torch::kDouble).view(a.sizes()));
}

inline torch::Tensor variable(torch::IntArrayRef shape, const std::string& name) {
  return pattern(shape, name).requires_grad_();
}

inline bool finite(const torch::Tensor& x) {
  return torch::isfinite(x).all().item<bool>();
}

/// Compares the gradient that each weight holds with the reference's, to a hundred times `rounding`.
inline void check_slopes(const torch::nn::Module& module, const Reference& reference,
                         double rounding = 1e-11) {
  const auto parameters = module.named_parameters();
  CHECK(parameters.size() == reference.slopes.size());
  for (const auto& [name, slope] : reference.slopes) {
    INFO(name);
    REQUIRE(parameters.contains(name));
    const auto& gradient = parameters[name].grad();
    CHECK((gradient * pattern(gradient.sizes(), name + " direction")).sum().item<double>() ==
          Approx(slope).epsilon(100 * rounding).margin(10 * rounding));
  }
}

/// Runs backward from the loss that the reference took, then compares everything. rounding: of numbers of the
/// size of 1; larger where a part of double's computation is fp32.
inline void check_reference(const torch::nn::Module& module, const torch::Tensor& output,
                            const std::vector<torch::Tensor>& inputs, const Reference& reference,
                            double rounding = 1e-11) {
  CHECK(difference(output, reference.output) < rounding);
  (output * pattern(output.sizes(), "loss")).sum().backward();
  REQUIRE(inputs.size() == reference.input_gradients.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    CHECK(difference(inputs[i].grad(), reference.input_gradients[i]) < rounding);
  check_slopes(module, reference, rounding);
}

/// Compares autograd's slope of `loss` along random directions with central differences. The variables are
/// double. `loss` reads them again at each call.
inline void check_gradients(const std::function<torch::Tensor()>& loss,
                            const std::vector<torch::Tensor>& variables, int directions = 3) {
  const double step = 1e-6;
  const auto gradients = torch::autograd::grad({loss()}, variables);
  const torch::NoGradGuard no_gradients;
  for (int direction = 0; direction < directions; ++direction) {
    double slope = 0.0;
    std::vector<torch::Tensor> steps;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      steps.push_back(torch::randn_like(variables[i]) * step);
      slope += (gradients[i] * steps[i]).sum().item<double>() / step;
    }
    const auto moved = [&](double sign) {
      for (std::size_t i = 0; i < variables.size(); ++i) variables[i].data().add_(steps[i], sign);
      return loss().item<double>();
    };
    const double above = moved(1.0), below = moved(-2.0);
    moved(1.0);
    CHECK((above - below) / (2 * step) == Approx(slope).epsilon(1e-6).margin(1e-8));
  }
}

}  // namespace transformer::test

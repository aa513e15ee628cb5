#include "transformer/nn/check_list.h"

#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

namespace transformer::nn {

double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).abs().max() / a.abs().max().clamp_min(1)).item<double>();
}

double worst_gradient(const CheckedFunction& function, const std::vector<torch::Tensor>& inputs,
                      const std::vector<torch::Tensor>& parameters) {
  constexpr double kStep = 1e-5;
  std::vector<torch::Tensor> given, asked;
  for (const auto& input : inputs) given.push_back(input.clone().requires_grad_());
  asked = given;
  asked.insert(asked.end(), parameters.begin(), parameters.end());
  if (asked.empty()) return 0;
  const auto result = function(given);
  const auto weight = torch::randn_like(result);
  const auto gradients = torch::autograd::grad({(result * weight).sum()}, asked, {}, {}, false, true);
  const torch::NoGradGuard none;
  double worst = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto direction = torch::randn_like(asked[i]);
    const auto at = [&](double step) {
      asked[i].add_(direction, step);
      const auto sum = (function(given) * weight).sum().item<double>();
      asked[i].sub_(direction, step);
      return sum;
    };
    const double slope = (at(kStep) - at(-kStep)) / (2 * kStep);
    const double found = gradients[i].defined() ? (gradients[i] * direction).sum().item<double>() : 0;
    const double error = std::abs(found - slope) / std::max({1.0, std::abs(found), std::abs(slope)});
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

void CheckList::add(const char* what, const std::function<double()>& measure) {
  VariantCheck check{.what = fmt::format("{}: {}", where_, what), .found = {}};
  try {
    const double found = measure();
    check.passed = found <= tolerance_;
    check.found = fmt::format("{}{:.1e}", label_, found);
  } catch (const c10::Error& error) {
    check.found = error.what_without_backtrace();
  } catch (const std::exception& error) {
    check.found = error.what();
  }
  done_.push_back(std::move(check));
}

}  // namespace transformer::nn

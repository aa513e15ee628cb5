#include "transformer/nn/dropout.h"

#include <torch/autograd.h>

#include <cmath>
#include <limits>

namespace transformer::nn {
namespace {

constexpr double kSteps = 65536.0;

/// True with probability 1 - dropped / 2^16, independently for each of the elements of x.
torch::Tensor keep_mask(const torch::Tensor& x, std::int64_t dropped) {
  const auto elements = x.numel();
  auto words = torch::empty({(elements + 3) / 4}, torch::kLong);
  words.random_(std::numeric_limits<std::int64_t>::lowest(), std::optional<std::int64_t>());
  const auto lowest = static_cast<std::int64_t>(std::numeric_limits<std::int16_t>::lowest());
  return words.view(torch::kShort).slice(0, 0, elements).ge(lowest + dropped).view(x.sizes());
}

class CpuDropout : public torch::autograd::Function<CpuDropout> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               std::int64_t dropped) {
    const double scale = kSteps / (kSteps - static_cast<double>(dropped));
    const auto mask = keep_mask(x, dropped);
    context->save_for_backward({mask});
    context->saved_data["scale"] = scale;
    return x.mul(mask).mul_(scale);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto mask = context->get_saved_variables()[0];
    return {gradients[0].mul(mask).mul_(context->saved_data["scale"].toDouble()), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor dropout(const torch::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return x;
  if (!x.is_cpu()) return torch::dropout(x, p, /*train=*/true);
  return CpuDropout::apply(x, static_cast<std::int64_t>(std::lround(p * kSteps)));
}

}  // namespace transformer::nn

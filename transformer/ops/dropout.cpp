#include "transformer/ops/dropout.h"

#include <ATen/CPUGeneratorImpl.h>

#include "transformer/kernels/dropout.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/once_differentiable.h"

namespace transformer::ops {
namespace {

torch::Tensor masked(const torch::Tensor& x, const kernels::DropoutMask& mask) {
  const auto from = x.contiguous();
  auto y = torch::empty_like(from);
  const auto run = [&](auto type) {
    using T = decltype(type);
    constexpr std::int64_t worth_a_thread = 1 << 15;
    runtime::parallel_for(0, from.numel(), worth_a_thread, [&](std::int64_t begin, std::int64_t end) {
      const kernels::Dropout<T> part{begin, end, mask, kernel_data<T>(from), kernel_data<T>(y)};
      run_kernel(kernels::dropout().run, kernels::dropout().run_bf16, part);
    });
  };
  with_type_of(from, run);
  return y;
}

class CpuDropout : public OnceDifferentiable<CpuDropout> {
 public:
  static constexpr const char* kName = "ops::dropout";

  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double p) {
    const auto mask = draw_mask(p);
    context->saved_data["p"] = p;
    context->saved_data["seed"] = static_cast<std::int64_t>(mask.seed);
    return masked(x, mask);
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    const auto seed = static_cast<std::uint64_t>(context->saved_data["seed"].toInt());
    const auto p = context->saved_data["p"].toDouble();
    return {masked(received[0], kernels::DropoutMask::with_probability(p, seed)), torch::Tensor()};
  }
};

}  // namespace

kernels::DropoutMask draw_mask(double p) {
  if (p == 0.0) return {};
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return kernels::DropoutMask::with_probability(
      p, at::get_generator_or_default<at::CPUGeneratorImpl>(generator, generator)->random64());
}

torch::Tensor dropout(const torch::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return x;
  if (!has_kernels(x)) return torch::dropout(x, p, /*train=*/true);
  return CpuDropout::apply(x, p);
}

}  // namespace transformer::ops

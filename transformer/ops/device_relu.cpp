#include "transformer/ops/device_relu.h"

#include "transformer/gpu/kernel.h"
#include "transformer/gpu/source/relu_gradient.h"

namespace transformer::gpu {
std::string_view relu_gradient_text();
}

namespace transformer::ops {
namespace {

torch::Tensor by_kernel(const gpu::Kernels& kernels, const torch::Tensor& gradient,
                        const torch::Tensor& output) {
  const auto rows = gradient.size(0), width = gradient.size(1);
  torch::Tensor sums;  // of chunks of rows
  gpu::with_gpu_type(gradient.scalar_type(), [&](auto type) {
    using T = decltype(type);
    using Kernel = gpu::ReluGradient<T>;
    const bool packed = width % Kernel::kColumns == 0;
    const auto columns = Kernel::kThreads * (packed ? Kernel::kColumns : 1);
    const auto chunks = (rows + Kernel::kRows - 1) / Kernel::kRows, tiles = (width + columns - 1) / columns;
    sums = torch::empty({chunks, width}, gradient.options().dtype(torch::kFloat));
    kernels.launch<gpu::ReluGradient, T>("relu_gradient", chunks * tiles,
                                         {.output = static_cast<const T*>(output.const_data_ptr()),
                                          .gradient = static_cast<T*>(gradient.data_ptr()),
                                          .sums = sums.data_ptr<float>(),
                                          .rows = rows,
                                          .width = width,
                                          .tiles = tiles,
                                          .packed = packed ? 1 : 0});
  });
  return sums.sum(0);
}

torch::Tensor by_operations(const torch::Tensor& gradient, const torch::Tensor& output) {
  auto in_place = gradient;
  at::threshold_backward_out(in_place, gradient, output, 0);
  return gradient.sum(0, /*keepdim=*/false, torch::kFloat);
}

/// More rows than a chunk has, and columns that threads take alone or together.
bool agrees(const gpu::Kernels& kernels, const torch::Device& device) {
  const torch::NoGradGuard no_gradients;
  for (const auto type : {torch::kFloat, torch::kBFloat16, torch::kHalf})
    for (const std::int64_t width : {8, 131}) {
      const std::int64_t rows = 70;
      const auto waves = torch::arange(rows * width).to(torch::kDouble).sin().view({rows, width}).to(type);
      const auto output = waves.clamp_min(0).to(device);
      const auto found = waves.cos().to(device), expected = found.clone();
      const auto sums = by_kernel(kernels, found, output);
      if (!torch::allclose(sums, by_operations(expected, output), 1e-4, 1e-4) ||
          !torch::equal(found, expected))
        return false;
    }
  return true;
}

}  // namespace

torch::Tensor device_relu_gradient(const torch::Tensor& gradient, const torch::Tensor& output) {
  const auto device = gradient.device();
  const auto* kernels =
      gpu::is_gpu_type(gradient.scalar_type()) && gradient.is_contiguous() && output.is_contiguous()
          ? gpu::usable_kernels({"relu_gradient", gpu::relu_gradient_text()}, device,
                                [&](const gpu::Kernels& found) { return agrees(found, device); })
          : nullptr;
  return kernels != nullptr ? by_kernel(*kernels, gradient, output) : by_operations(gradient, output);
}

}  // namespace transformer::ops

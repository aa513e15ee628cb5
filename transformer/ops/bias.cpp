#include "transformer/ops/bias.h"

#include "transformer/kernels/bias_relu.h"
#include "transformer/ops/cpu_kernels.h"

namespace transformer::ops {

void add_bias(const torch::Tensor& x, const torch::Tensor& bias, bool relu) {
  with_type_of(x, [&](auto type) {
    using T = decltype(type);
    parallel_rows(x.size(0), [&](std::int64_t begin, std::int64_t end) {
      const kernels::BiasRelu<T> part{.begin = begin,
                                      .end = end,
                                      .width = x.size(1),
                                      .bias = bias.data_ptr<float>(),
                                      .relu = relu,
                                      .x = kernel_data<T>(x)};
      run_kernel(kernels::bias_relu().forward, kernels::bias_relu().forward_bf16, part);
    });
  });
}

torch::Tensor bias_gradient(const torch::Tensor& gradient, const torch::Tensor& output) {
  const auto width = gradient.size(1);
  torch::Tensor sums;
  with_type_of(gradient, [&](auto type) {
    using T = decltype(type);
    sums = sum_over_blocks(gradient.size(0), 1, width, [&](std::int64_t begin, std::int64_t end, float* own) {
      const kernels::BiasReluBackward<T> part{.begin = begin,
                                              .end = end,
                                              .width = width,
                                              .output = output.defined() ? kernel_data<T>(output) : nullptr,
                                              .gradient = kernel_data<T>(gradient),
                                              .bias_gradient = own};
      run_kernel(kernels::bias_relu().backward, kernels::bias_relu().backward_bf16, part);
    });
  });
  return sums[0];
}

}  // namespace transformer::ops

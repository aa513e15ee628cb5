#include "transformer/kernels/bias_relu.h"

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

template <typename T>
void forward(const BiasRelu<T>& a) {
  for (auto row = a.begin; row < a.end; ++row) {
    T* x = a.x + row * a.width;
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      const Vec y = read(x + i, n) + read(a.bias + i, n);
      write(x + i, !a.relu ? y : y < 0.0F ? Vec{} : y, n);  // NaN stays NaN
    });
  }
}

template <typename T>
void backward(const BiasReluBackward<T>& a) {
  for (auto row = a.begin; row < a.end; ++row) {
    const auto first = row * a.width;
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      Vec gradient = read(a.gradient + first + i, n);
      if (a.output != nullptr) {
        gradient = read(a.output + first + i, n) > 0.0F ? gradient : Vec{};
        write(a.gradient + first + i, gradient, n);
      }
      write(a.bias_gradient + i, read(a.bias_gradient + i, n) + gradient, n);
    });
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(BiasReluKernels, bias_relu) = {.forward = level::forward<float>,
                                                          .forward_bf16 = level::forward<Bf16>,
                                                          .backward = level::backward<float>,
                                                          .backward_bf16 = level::backward<Bf16>};

}  // namespace transformer::kernels

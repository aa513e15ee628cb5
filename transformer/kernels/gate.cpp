#include "transformer/kernels/gate.h"

#include "transformer/kernels/activation.h"
#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// a(x), and its derivative.
struct Opening {
  Vec value, slope;
};

Opening open(Vec x, nn::Gate kind) {
  const bool is_gelu = kind == nn::Gate::gelu_tanh;
  const Vec z = is_gelu ? gelu_tanh_argument(x) : x, s = sigmoid(z);
  const Vec slope = s * (is_gelu ? sigmoid(-z) : 1.0F - s);  // of large factors 1 - s has too few digits
  switch (kind) {
    case nn::Gate::sigmoid:
      return {s, slope};
    case nn::Gate::swish:
      return {x * s, s + x * slope};
    case nn::Gate::gelu_tanh:
      return {x * s, s + x * slope * (1.59576912F + 0.21406442F * x * x)};  // 3 · 0.044715 · 1.59576912
    case nn::Gate::none:
      break;
  }
  nn::no_such_choice();
}

template <typename T>
void forward(const Gating<T>& a) {
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const T *gate = a.gate + row * a.stride, *values = a.values + row * a.stride;
    T* y = a.y + row * a.width;
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      write(y + i, open(read(gate + i, n), a.kind).value * read(values + i, n), n);
    });
  }
}

template <typename T>
void backward(const GatingBackward<T>& b) {
  const auto& a = b.forward;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto first = row * a.stride;
    const T* gradient = b.gradient + row * a.width;
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      const auto opening = open(read(a.gate + first + i, n), a.kind);
      const Vec dy = read(gradient + i, n), value = read(a.values + first + i, n);
      write(b.values + first + i, dy * opening.value, n);
      write(b.gate + first + i, dy * value * opening.slope, n);
    });
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(GateKernels, gate) = {.forward = level::forward<float>,
                                                 .forward_bf16 = level::forward<Bf16>,
                                                 .backward = level::backward<float>,
                                                 .backward_bf16 = level::backward<Bf16>};

}  // namespace transformer::kernels

#include "transformer/kernels/add_norm.h"

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

void run(const AddNorm& a) {
  const auto width = static_cast<float>(a.width);
  const auto whole = a.width / kWidth * kWidth, rest = a.width - whole;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto first = row * a.stride;
    float* y = a.y + first;
    Vec total{};
    for (std::int64_t i = 0; i < a.stride; i += kWidth) {
      Vec s = load(a.x + first + i);
      if (a.z != nullptr) s += load(a.z + first + i);
      if (a.sum != nullptr) store(a.sum + first + i, s);
      store(y + i, s);
      total += s;
    }
    const float mean = sum(total) / width;
    Vec squares{};
    for (std::int64_t i = 0; i < whole; i += kWidth) {
      const Vec centred = load(y + i) - mean;
      squares += centred * centred;
    }
    for (std::int64_t i = 0; i < rest; ++i) squares[i] += (y[whole + i] - mean) * (y[whole + i] - mean);
    const float inverse = 1.0F / __builtin_sqrtf(sum(squares) / width + a.epsilon);
    for (std::int64_t i = 0; i < a.stride; i += kWidth)
      store(y + i, (load(y + i) - mean) * inverse * load(a.weight + i) + load(a.bias + i));
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

TRANSFORMER_DEFINE_KERNELS(AddNormKernels, add_norm) = {TRANSFORMER_LEVEL::run};

}  // namespace transformer::kernels

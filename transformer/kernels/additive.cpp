#include "transformer/kernels/additive.h"

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// tanh(x), to 1e-7
Vec tanh(Vec x) {
  const Vec size = x > 0 ? x : -x;
  const Vec e = exp_negative(-2.0F * size);
  const Vec y = (1.0F - e) / (1.0F + e);
  return x > 0 ? y : -y;
}

template <typename T>
void forward(const AdditiveScores<T>& a) {
  for (std::int64_t t = 0; t < a.queries; ++t) {
    for (std::int64_t s = 0; s < a.keys; ++s) {
      const T *query = a.query + t * a.query_stride, *key = a.key + s * a.key_stride;
      Vec total{};
      for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
        total += read(a.weight + i, n) * tanh(read(query + i, n) + read(key + i, n));
      });
      a.scores[t * a.keys + s] = sum(total);
    }
  }
}

template <typename T>
void backward(const AdditiveScoresBackward<T>& b) {
  const auto& a = b.forward;
  for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
    const Vec weight = read(a.weight + i, n);
    Vec of_weight = read(b.weight + i, n);
    for (std::int64_t t = 0; t < a.queries; ++t) {
      const Vec query = read(a.query + t * a.query_stride + i, n);
      float* const to_query = b.query + t * a.width + i;
      Vec of_query = read(to_query, n);
      for (std::int64_t s = 0; s < a.keys; ++s) {
        const float gradient = b.gradient[t * a.keys + s];
        if (gradient == 0.0F) continue;
        const Vec hidden = tanh(query + read(a.key + s * a.key_stride + i, n));
        const Vec of_sum = gradient * weight * (1.0F - hidden * hidden);
        float* const to_key = b.key + s * a.width + i;
        of_weight += gradient * hidden;
        of_query += of_sum;
        write(to_key, read(to_key, n) + of_sum, n);
      }
      write(to_query, of_query, n);
    }
    write(b.weight + i, of_weight, n);
  });
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(AdditiveKernels, additive) = {.forward = level::forward<float>,
                                                         .forward_bf16 = level::forward<Bf16>,
                                                         .backward = level::backward<float>,
                                                         .backward_bf16 = level::backward<Bf16>};

}  // namespace transformer::kernels

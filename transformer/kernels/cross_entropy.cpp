#include "transformer/kernels/cross_entropy.h"

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// -infinity beyond the row, so that it is neither the largest nor adds to the sum of exponentials.
template <typename T>
Vec read_logits(const T* from, std::int64_t n) {
  if (n == kWidth) return load(from);
  Vec x = load_part(from, n);
  for (std::int64_t i = n; i < kWidth; ++i) x[i] = -__builtin_inff();
  return x;
}

template <typename T>
float value(const T* row, std::int64_t i) {
  return load_part(row + i, 1)[0];
}

template <typename T>
void run(const CrossEntropy<T>& a) {
  const auto width = static_cast<float>(a.width);
  for (auto r = a.begin; r < a.end; ++r) {
    T* row = a.logits + r * a.width;
    const auto label = a.labels[r];
    Vec most = broadcast(-__builtin_inff()), total{}, exponentials{};
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      most = max(most, read_logits(row + i, n));
      total += read(row + i, n);
    });
    const float peak = largest(most);
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      exponentials += exp_negative(read_logits(row + i, n) - peak);
    });
    const float logsumexp = peak + __builtin_logf(sum(exponentials));
    const float nll = logsumexp - value(row, label);
    *a.nll += nll;
    *a.smoothed += (1.0F - a.epsilon) * nll + a.epsilon * (logsumexp - sum(total) / width);
    if (!a.gradient) continue;
    const float chosen =
        __builtin_expf(value(row, label) - logsumexp) - a.epsilon / width - (1.0F - a.epsilon);
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      write(row + i, exp_negative(read(row + i, n) - logsumexp) - a.epsilon / width, n);
    });
    store_part(row + label, broadcast(chosen), 1);
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(CrossEntropyKernels, cross_entropy) = {level::run<float>, level::run<Bf16>};

}  // namespace transformer::kernels

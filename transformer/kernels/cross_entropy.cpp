#include "transformer/kernels/cross_entropy.h"

#include "transformer/kernels/logits.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

template <typename T>
void run(const CrossEntropy<T>& a) {
  const auto width = static_cast<float>(a.width);
  for (auto r = a.begin; r < a.end; ++r) {
    T* row = a.logits + r * a.width;
    const auto label = a.labels[r];
    const auto sums = sums_of(row, a.width);
    const float logsumexp = sums.logsumexp;
    const float nll = logsumexp - value(row, label);
    *a.nll += nll;
    *a.smoothed += (1.0F - a.epsilon) * nll + a.epsilon * (logsumexp - sums.total / width);
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

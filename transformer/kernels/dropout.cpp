#include "transformer/kernels/dropout.h"

#include "transformer/kernels/random_mask.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

template <typename T>
void run(const Dropout<T>& a) {
  for (auto row = a.begin; row < a.end; ++row) {
    const auto first = row * a.width;
    const auto seed = a.mask.seeds[row];
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      write(a.y + first + i, read(a.x + first + i, n) * mask_factors(a.mask, seed, i), n);
    });
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(DropoutKernels, dropout) = {level::run<float>, level::run<Bf16>};

}  // namespace transformer::kernels

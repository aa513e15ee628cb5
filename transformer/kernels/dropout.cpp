#include "transformer/kernels/dropout.h"

#include "transformer/kernels/random_mask.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

template <typename T>
void run(const Dropout<T>& a) {
  for_columns(a.end - a.begin, [&](std::int64_t i, std::int64_t n) {
    const auto first = a.begin + i;
    write(a.y + first, read(a.x + first, n) * mask_factors(a.mask, first), n);
  });
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(DropoutKernels, dropout) = {level::run<float>, level::run<Bf16>};

}  // namespace transformer::kernels

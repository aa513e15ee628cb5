#include "transformer/kernels/rotation.h"

#include <utility>

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// (1, 0, 3, 2, …)
template <std::size_t... kLanes>
Vec swap_neighbours(const Vec& x, std::index_sequence<kLanes...>) {
  return __builtin_shufflevector(x, x, static_cast<int>(kLanes ^ 1U)...);
}

template <typename T>
void rotate(const Rotation<T>& r) {
  for (std::int64_t row = 0; row < r.rows; ++row) {
    const float* cosine = r.cosine + row * r.table_stride;
    const float* sine = r.sine + row * r.table_stride;
    for (std::int64_t head = 0; head < r.heads; ++head) {
      T* x = r.data + row * r.stride + head * r.head_stride;
      for_columns(r.size, [&](std::int64_t i, std::int64_t n) {
        const Vec old = read(x + i, n);
        const Vec turned =
            swap_neighbours(old, std::make_index_sequence<kWidth>()) * (read(sine + i, n) * r.direction);
        write(x + i, old * read(cosine + i, n) + turned, n);
      });
    }
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

TRANSFORMER_DEFINE_KERNELS(RotationKernels, rotation) = {TRANSFORMER_LEVEL::rotate<float>,
                                                         TRANSFORMER_LEVEL::rotate<Bf16>};

}  // namespace transformer::kernels

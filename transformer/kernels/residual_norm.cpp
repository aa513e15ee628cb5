#include "transformer/kernels/residual_norm.h"

#include "transformer/kernels/random_mask.h"
#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

template <typename T>
void forward(const ResidualNorm<T>& call) {
  const auto a = call;  // a copy, which no store can change
  const auto width = static_cast<float>(a.width);
  for (auto row = a.begin; row < a.end; ++row) {
    const auto first = row * a.stride;
    const auto seed = a.mask.dropped != 0 ? a.mask.seeds[row] : 0;
    T* const y = a.y + first;
    T* const kept = a.sum != nullptr ? a.sum + first : y;
    Vec total{};
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      Vec s{};
      if (a.z != nullptr) s = read(a.z + first + i, n);
      if (a.mask.dropped != 0) s *= mask_factors(a.mask, seed, i);
      s += read(a.x + first + i, n);
      write(kept + i, s, n);
      total += s;
    });
    const float mean = a.centred ? sum(total) / width : 0.0F;
    // Of what was written, so that the backward pass sees the same.
    Vec squares{};
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      const Vec centred = first_part(read(kept + i, n) - mean, n);
      squares += centred * centred;
    });
    const float inverse = 1.0F / __builtin_sqrtf(sum(squares) / width + a.epsilon);
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      Vec normal = (read(kept + i, n) - mean) * inverse * read(a.weight + i, n);
      if (a.bias != nullptr) normal += read(a.bias + i, n);
      write(y + i, normal, n);
    });
    for (auto i = a.width; i < a.stride; ++i) y[i] = T{};
    if (a.mean != nullptr) a.mean[row] = mean;
    if (a.inverse != nullptr) a.inverse[row] = inverse;
  }
}

template <typename T>
void backward(const ResidualNormBackward<T>& a) {
  const auto width = static_cast<float>(a.width);
  for (auto row = a.begin; row < a.end; ++row) {
    const auto first = row * a.width;
    const auto seed = a.mask.dropped != 0 ? a.mask.seeds[row] : 0;
    const float mean = a.mean[row], inverse = a.inverse[row];
    Vec total{}, product{};
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      const Vec normal = (read(a.sum + first + i, n) - mean) * inverse;
      const Vec dy = read(a.y_gradient + first + i, n);
      const Vec weighted = dy * read(a.weight + i, n);  // 0 beyond the row
      total += weighted;
      product += weighted * normal;
      write(a.weight_gradient + i, read(a.weight_gradient + i, n) + dy * normal, n);
      write(a.bias_gradient + i, read(a.bias_gradient + i, n) + dy, n);
    });
    const float constant = sum(total) / width, slope = sum(product) / width;
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      const Vec normal = (read(a.sum + first + i, n) - mean) * inverse;
      const Vec weighted = read(a.y_gradient + first + i, n) * read(a.weight + i, n);
      const Vec gradient = (weighted - constant - normal * slope) * inverse;
      write(a.x_gradient + first + i, gradient, n);
      if (a.mask.dropped != 0) write(a.z_gradient + first + i, gradient * mask_factors(a.mask, seed, i), n);
    });
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(ResidualNormKernels, residual_norm) = {
    level::forward<float>, level::forward<Bf16>, level::backward<float>, level::backward<Bf16>};

}  // namespace transformer::kernels

#include "transformer/kernels/row_attention.h"

#include <limits>

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

typedef float Quad __attribute__((vector_size(16)));  // NOLINT(modernize-use-using)

/// The sums of four vectors.
void add_up(const Vec* x, float* sums) {
  Quad quads[4];
  for (int k = 0; k < 4; ++k) {
    Quad parts[kWidth / 4];
    std::memcpy(parts, x + k, sizeof parts);
    quads[k] = parts[0];
    for (std::int64_t i = 1; i < kWidth / 4; ++i) quads[k] += parts[i];
  }
  // Transposed and added: first pairs of vectors, then pairs of pairs.
  const Quad ab = __builtin_shufflevector(quads[0], quads[1], 0, 4, 1, 5) +
                  __builtin_shufflevector(quads[0], quads[1], 2, 6, 3, 7);
  const Quad cd = __builtin_shufflevector(quads[2], quads[3], 0, 4, 1, 5) +
                  __builtin_shufflevector(quads[2], quads[3], 2, 6, 3, 7);
  const Quad total =
      __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  std::memcpy(sums, &total, sizeof total);
}

/// One key's product with the query, not yet added up.
inline Vec partial_score(const float* query, const float* key, std::int64_t size) {
  Vec product = load(query) * load(key);
  for (std::int64_t j = kWidth; j < size; j += kWidth) product += load(query + j) * load(key + j);
  return product;
}

/// Scores of head `head`; beyond the last row -infinity, to whole vectors.
inline void score(const RowAttention& a, std::int64_t head, std::int64_t group, float* scores) {
  const float* query = a.query + head * a.key_size;
  const float* keys = a.keys + group * a.key_size;
  for (std::int64_t i = 0; i < a.count; i += 4) {
    Vec products[4];
    for (int k = 0; k < 4; ++k) {
      const auto row = a.rows[i + k < a.count ? i + k : i];
      products[k] = partial_score(query, keys + row * a.stride, a.key_size);
    }
    add_up(products, scores + i);
  }
  if (a.bias != nullptr) {
    const float* bias = a.bias + head * a.bias_stride;
    for (std::int64_t i = 0; i < a.count; ++i) scores[i] += bias[i];
  }
  for (auto i = a.count; i % kWidth != 0; ++i) scores[i] = -std::numeric_limits<float>::infinity();
}

/// Turns scores into probabilities.
inline void softmax(std::int64_t count, float* scores) {
  Vec most = load(scores);
  for (std::int64_t i = kWidth; i < count; i += kWidth) most = max(most, load(scores + i));
  const float shift = largest(most);
  Vec total{};
  for (std::int64_t i = 0; i < count; i += kWidth) {
    const Vec e = exp_negative(load(scores + i) - shift);
    store(scores + i, e);
    total += e;
  }
  const float inverse = 1.0F / sum(total);
  for (std::int64_t i = 0; i < count; i += kWidth) store(scores + i, load(scores + i) * inverse);
}

/// kVectors vectors of the weighted sum of values, from this column of a row's.
template <int kVectors>
inline void mix(const RowAttention& a, std::int64_t column, const float* weights, float* y) {
  Vec sums[kVectors] = {};
  const float* values = a.values + column;
  for (std::int64_t i = 0; i < a.count; ++i) {
    const float* value = values + a.rows[i] * a.stride;
    for (int v = 0; v < kVectors; ++v) sums[v] += broadcast(weights[i]) * load(value + v * kWidth);
  }
  for (int v = 0; v < kVectors; ++v) store(y + v * kWidth, sums[v]);
}

void attend(const RowAttention& a) {
  const auto stride = (a.count + kWidth - 1) / kWidth * kWidth;
  const auto readers = a.heads / a.kv_heads;
  // Kind by kind, so that a head's work can overlap the next one's.
  for (std::int64_t head = 0; head < a.heads; ++head)
    score(a, head, head / readers, a.scores + head * stride);
  for (std::int64_t head = 0; head < a.heads; ++head) softmax(a.count, a.scores + head * stride);
  for (std::int64_t head = 0; head < a.heads; ++head) {
    const float* weights = a.scores + head * stride;
    const auto first = head / readers * a.value_size;
    float* y = a.y + head * a.value_size;
    std::int64_t i = 0;
    for (; i + 4 * kWidth <= a.value_size; i += 4 * kWidth) mix<4>(a, first + i, weights, y + i);
    for (; i < a.value_size; i += kWidth) mix<1>(a, first + i, weights, y + i);
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

TRANSFORMER_DEFINE_KERNELS(RowAttentionKernels, row_attention) = {TRANSFORMER_LEVEL::attend};

}  // namespace transformer::kernels

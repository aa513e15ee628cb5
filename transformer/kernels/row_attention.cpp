#include "transformer/kernels/row_attention.h"

#include <limits>

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// Scores of head `head`; beyond the last row -infinity, to whole vectors.
void score(const RowAttention& a, std::int64_t head, float* scores) {
  const float* query = a.query + head * a.key_size;
  const float* keys = a.keys + head * a.key_size;
  for (std::int64_t i = 0; i < a.count; ++i) {
    const float* key = keys + a.rows[i] * a.stride;
    Vec product{};
    for (std::int64_t j = 0; j < a.key_size; j += kWidth) product += load(query + j) * load(key + j);
    scores[i] = sum(product);
  }
  for (auto i = a.count; i % kWidth != 0; ++i) scores[i] = -std::numeric_limits<float>::infinity();
}

/// Turns scores into e^(score - largest); returns 1 / their sum.
float exponentials(std::int64_t count, float* scores) {
  Vec most = broadcast(-std::numeric_limits<float>::infinity());
  for (std::int64_t i = 0; i < count; i += kWidth) most = max(most, load(scores + i));
  const float shift = largest(most);
  Vec total{};
  for (std::int64_t i = 0; i < count; i += kWidth) {
    const Vec e = exp_negative(load(scores + i) - shift);
    store(scores + i, e);
    total += e;
  }
  return 1.0F / sum(total);
}

/// kVectors vectors of the weighted sum of values.
template <int kVectors>
void mix(const RowAttention& a, std::int64_t column, const float* weights, float inverse) {
  Vec sums[kVectors] = {};
  const float* values = a.values + column;
  for (std::int64_t i = 0; i < a.count; ++i) {
    const float* value = values + a.rows[i] * a.stride;
    for (int v = 0; v < kVectors; ++v) sums[v] += broadcast(weights[i]) * load(value + v * kWidth);
  }
  for (int v = 0; v < kVectors; ++v) store(a.y + column + v * kWidth, sums[v] * inverse);
}

void attend(const RowAttention& a) {
  const auto stride = (a.count + kWidth - 1) / kWidth * kWidth;
  for (std::int64_t head = 0; head < a.heads; ++head) {
    float* scores = a.scores + head * stride;
    score(a, head, scores);
    const float inverse = exponentials(a.count, scores);
    auto column = head * a.value_size;
    const auto end = column + a.value_size;
    for (; column + 4 * kWidth <= end; column += 4 * kWidth) mix<4>(a, column, scores, inverse);
    for (; column < end; column += kWidth) mix<1>(a, column, scores, inverse);
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

TRANSFORMER_DEFINE_KERNELS(RowAttentionKernels, row_attention) = {TRANSFORMER_LEVEL::attend};

}  // namespace transformer::kernels

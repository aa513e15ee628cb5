#include "transformer/kernels/next_tokens.h"

#include <limits>

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// The columns i … i + kWidth - 1 of a row, -infinity beyond its end.
Vec read(const float* row, std::int64_t i, std::int64_t columns) {
  Vec x = load(row + i);
  for (auto j = columns - i; j < kWidth; ++j) x[j] = kNever;
  return x;
}

/// Puts a logit in its place among the best; of equal ones the first stays before.
void insert(const NextTokens& a, std::int64_t row, float logit, std::int32_t token) {
  if (token == a.never[0] || token == a.never[1]) return;
  float* values = a.values + row * a.best;
  std::int32_t* tokens = a.tokens + row * a.best;
  auto place = a.best - 1;
  for (; place > 0 && values[place - 1] < logit; --place) {
    values[place] = values[place - 1];
    tokens[place] = tokens[place - 1];
  }
  values[place] = logit;
  tokens[place] = token;
}

void scan(const NextTokens& a) {
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const float* logits = a.logits + row * a.stride;
    const float* least = a.values + row * a.best + a.best - 1;
    Vec most = broadcast(kNever);
    for (std::int64_t i = 0; i < a.columns; i += kWidth) most = max(most, read(logits, i, a.columns));
    const float highest = largest(most);
    if (highest > *least) {
      for (std::int64_t i = 0; i < a.columns; ++i)
        if (logits[i] > *least) insert(a, row, logits[i], static_cast<std::int32_t>(a.first + i));
    }
    const float before = a.maximum[row], now = highest > before ? highest : before;
    if (now == kNever) continue;
    Vec total{};
    for (std::int64_t i = 0; i < a.columns; i += kWidth)
      total += exp_negative(read(logits, i, a.columns) - now);
    const Vec rescaled = exp_negative(broadcast(before - now));
    a.total[row] = a.total[row] * rescaled[0] + sum(total);
    a.maximum[row] = now;
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

TRANSFORMER_DEFINE_KERNELS(NextTokensKernels, next_tokens) = {TRANSFORMER_LEVEL::scan};

}  // namespace transformer::kernels

#include "transformer/kernels/next_tokens.h"

#include <limits>

#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

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

/// Columns that are looked at together: most blocks hold nothing that is among the best.
constexpr std::int64_t kBlock = 64;

/// Looks for candidates; returns the largest logit.
float find_best(const NextTokens& a, std::int64_t row, const float* logits) {
  const float* least = a.values + row * a.best + a.best - 1;
  float highest = kNever;
  for (std::int64_t block = 0; block < a.columns; block += kBlock) {
    const auto end = block + kBlock < a.columns ? block + kBlock : a.columns;
    auto i = block;
    Vec most = broadcast(kNever);
    for (; i + kWidth <= end; i += kWidth) most = max(most, load(logits + i));
    float here = largest(most);
    for (; i < end; ++i) here = logits[i] > here ? logits[i] : here;
    highest = here > highest ? here : highest;
    if (!(here > *least)) continue;
    for (i = block; i < end; ++i)
      if (logits[i] > *least) insert(a, row, logits[i], static_cast<std::int32_t>(a.first + i));
  }
  return highest;
}

/// The sum of e^(logit - shift).
float exponentials(const NextTokens& a, const float* logits, float shift) {
  Vec totals[2] = {};
  std::int64_t i = 0;
  for (; i + 2 * kWidth <= a.columns; i += 2 * kWidth) {
    totals[0] += exp_negative(load(logits + i) - shift);
    totals[1] += exp_negative(load(logits + i + kWidth) - shift);
  }
  float total = sum(totals[0] + totals[1]);
  for (; i < a.columns; i += kWidth) {
    const auto n = a.columns - i < kWidth ? a.columns - i : kWidth;
    const Vec e = exp_negative(load(logits + i) - shift);
    for (std::int64_t j = 0; j < n; ++j) total += e[j];
  }
  return total;
}

void scan(const NextTokens& a) {
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const float* logits = a.logits + row * a.stride;
    const float highest = find_best(a, row, logits), before = a.maximum[row];
    const float now = highest > before ? highest : before;
    if (now == kNever) continue;
    const Vec rescaled = exp_negative(broadcast(before - now));
    a.total[row] = a.total[row] * rescaled[0] + exponentials(a, logits, now);
    a.maximum[row] = now;
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

TRANSFORMER_DEFINE_KERNELS(NextTokensKernels, next_tokens) = {TRANSFORMER_LEVEL::scan};

}  // namespace transformer::kernels

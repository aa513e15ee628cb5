// Log-sum-exp and the best few of a row of logits, which comes in pieces: the vocabulary is read once and
// never sorted.
#pragma once

#include <cstdint>

#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// A piece of each row: the logits of the tokens first … first + columns - 1. What is found accumulates over
/// the pieces. Before the first: maximum and values are -infinity, totals are 0.
struct NextTokens {
  std::int64_t rows = 0, first = 0, columns = 0;
  const float* logits = nullptr;  ///< rows of `stride`, read up to the next multiple of 16 columns
  std::int64_t stride = 0;
  float* maximum = nullptr;          ///< (rows) the largest logit so far
  float* total = nullptr;            ///< (rows) the sum of e^(logit - maximum)
  std::int32_t never[2] = {-1, -1};  ///< tokens that are never chosen, though they count in the total
  std::int64_t best = 0;
  float* values = nullptr;         ///< (rows, best) the largest logits, largest first
  std::int32_t* tokens = nullptr;  ///< (rows, best) their tokens
};

struct NextTokensKernels {
  void (*scan)(const NextTokens&);
};
TRANSFORMER_KERNELS(NextTokensKernels, next_tokens)

}  // namespace transformer::kernels

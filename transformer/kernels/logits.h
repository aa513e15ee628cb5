// Rows of logits as losses read them. For kernel files alone, as vec.h.
#pragma once

#include "transformer/kernels/vec.h"

namespace transformer::kernels::TRANSFORMER_LEVEL {

/// -infinity beyond the row, so that it is neither the largest nor adds to the sum of exponentials.
template <typename T>
Vec read_logits(const T* from, std::int64_t n) {
  if (n == kWidth) return load(from);
  Vec x = load_part(from, n);
  for (std::int64_t i = n; i < kWidth; ++i) x[i] = -__builtin_inff();
  return x;
}

/// One element of a row.
template <typename T>
float value(const T* row, std::int64_t i) {
  return load_part(row + i, 1)[0];
}

struct RowSums {
  float total = 0;      ///< of the logits
  float logsumexp = 0;  ///< of the logits
};

template <typename T>
RowSums sums_of(const T* row, std::int64_t width) {
  Vec most = broadcast(-__builtin_inff()), total{}, exponentials{};
  for_columns(width, [&](std::int64_t i, std::int64_t n) {
    most = max(most, read_logits(row + i, n));
    total += read(row + i, n);
  });
  const float peak = largest(most);
  for_columns(width, [&](std::int64_t i, std::int64_t n) {
    exponentials += exp_negative(read_logits(row + i, n) - peak);
  });
  return {sum(total), peak + __builtin_logf(sum(exponentials))};
}

}  // namespace transformer::kernels::TRANSFORMER_LEVEL

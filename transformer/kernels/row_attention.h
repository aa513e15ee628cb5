// Section 3.2.1 for one query: attention over keys and values that lie anywhere in a cache.
#pragma once

#include <cstdint>

#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Each head's softmax(q · kᵢ) vᵢ, over the rows i that `rows` names. Queries are scaled already. Sizes of
/// heads are multiples of 16, with zeros behind what is real.
struct RowAttention {
  std::int64_t heads = 0, key_size = 0, value_size = 0;
  /// Heads of keys and values, a divisor of `heads`: each is read by heads / kv_heads neighbours.
  std::int64_t kv_heads = 0;
  const float* query = nullptr;   ///< (heads, key_size)
  const float* keys = nullptr;    ///< row i: (kv_heads, key_size) at keys + i · stride
  const float* values = nullptr;  ///< row i: (kv_heads, value_size) at values + i · stride
  std::int64_t stride = 0;
  const std::int32_t* rows = nullptr;  ///< (count), at least one
  std::int64_t count = 0;
  float* scores = nullptr;  ///< scratch: heads · (count + 16)
  float* y = nullptr;       ///< out: (heads, value_size)
  /// Added to the scores: of head h and the i-th of `rows`, bias[h · bias_stride + i]. Null: nothing.
  const float* bias = nullptr;
  std::int64_t bias_stride = 0;
};

struct RowAttentionKernels {
  void (*attend)(const RowAttention&);
};
TRANSFORMER_KERNELS(RowAttentionKernels, row_attention)

}  // namespace transformer::kernels

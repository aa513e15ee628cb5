// A call of a kernel for attention over packed sequences on a device.
#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>

namespace transformer::ops {

/// Queries, keys and values by heads, (N, H, K) each, and all else that both passes need.
struct DeviceAttentionCall {
  torch::Tensor query, key, value, query_offsets, key_offsets;
  std::int64_t longest_query, longest_key;  ///< bounds
  double dropout;
  bool causal;

  double scale() const { return 1.0 / std::sqrt(static_cast<double>(query.size(-1))); }
};

}  // namespace transformer::ops

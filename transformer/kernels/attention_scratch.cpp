#include <algorithm>

#include "transformer/kernels/attention.h"

namespace transformer::kernels {
namespace {

constexpr std::int64_t kWidest = 16;  // floats in a vector, on the best level

std::int64_t filled_up(std::int64_t n) {
  return (n + kWidest - 1) / kWidest * kWidest;
}

}  // namespace

std::int64_t attention_reach(const AttentionShape& shape) {
  const auto keys = filled_up(shape.keys);
  // The first key is that of a whole vector, and so is the last.
  return shape.window == 0 ? keys : std::min(keys, filled_up(2 * shape.window + kAttentionBlock) + kWidest);
}

std::int64_t attention_scratch(const AttentionShape& shape) {
  const auto keys = filled_up(shape.keys), key_size = filled_up(shape.key_size),
             value_size = filled_up(shape.value_size);
  return keys * 3 * (key_size + value_size) +
         kAttentionBlock * (2 * key_size + 2 * value_size + 2 * attention_reach(shape));
}

}  // namespace transformer::kernels

#include "transformer/kernels/attention.h"

namespace transformer::kernels {

std::int64_t attention_scratch(const AttentionShape& shape) {
  constexpr std::int64_t widest = 16;  // floats in a vector, on the best level
  const auto round_up = [](std::int64_t n) { return (n + widest - 1) / widest * widest; };
  const auto keys = round_up(shape.keys), key_size = round_up(shape.key_size),
             value_size = round_up(shape.value_size);
  const auto rows = kAttentionBlock;
  return keys * 3 * (key_size + value_size) + rows * (2 * key_size + 2 * value_size + 2 * keys);
}

}  // namespace transformer::kernels

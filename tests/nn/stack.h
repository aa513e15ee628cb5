// The tiny stack that PyTorch's constants were made with.
#pragma once

#include "transformer/nn/encoder.h"

namespace transformer::test {

inline nn::StackOptions tiny_stack(nn::NormPlacement norm, std::int64_t layers = 1) {
  return {.layers = layers,
          .attention = {.d_model = 8, .heads = 2, .d_k = 4, .d_v = 4, .bias = true},
          .feed_forward = {.d_model = 8, .d_ff = 12},
          .residual = {.d_model = 8, .dropout = 0.0, .norm = norm}};
}

/// Two sentences of four positions; the second one's last is padding. → (2, 1, 1, 4)
inline torch::Tensor source_mask() {
  auto mask = torch::ones({2, 1, 1, 4}, torch::kBool);
  mask[1][0][0][3] = false;
  return mask;
}

}  // namespace transformer::test

// The sentences and the loss of the programs in tests/reference that print losses.
#pragma once

#include <torch/types.h>

#include "transformer/base/special_tokens.h"

namespace transformer::test {

inline torch::Tensor source() {
  return torch::tensor({{4, 5, 6, 7, 3}, {8, 9, 3, 1, 1}});
}
inline torch::Tensor target() {
  return torch::tensor({{2, 10, 4, 9}, {2, 5, 6, 1}});
}

/// logits: (2, 4, 11), of what follows the target's tokens.
inline torch::Tensor loss_of(const torch::Tensor& logits) {
  const auto labels = torch::tensor({{10, 4, 9, 3}, {5, 6, 3, 1}});
  return at::cross_entropy_loss(logits.flatten(0, 1), labels.flatten(), {}, at::Reduction::Mean, kPad, 0.1);
}

}  // namespace transformer::test

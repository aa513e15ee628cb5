// Masks as data: boolean tensors in which true means "may be attended to".
#pragma once

#include <torch/types.h>

namespace transformer::nn {

/// Hides padding. ids: (B, S) → (B, 1, 1, S), true where ids differ from pad.
torch::Tensor padding_mask(const torch::Tensor& ids, std::int64_t pad);

/// Section 3.1: position t sees positions 0 … t only. → (1, 1, T, T)
torch::Tensor causal_mask(std::int64_t length, const torch::Device& device);

/// That of the positions of x, (B, T) or (B, T, D); a trace takes their number from x.
torch::Tensor causal_mask_of(const torch::Tensor& x);

}  // namespace transformer::nn

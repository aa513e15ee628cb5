// What a loss is, as updates and evaluations add it up.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Sums over tokens. Both are scalars, in fp64 where the loss has a kernel or the model is fp64, else in
/// fp32.
struct TokenLoss {
  torch::Tensor smoothed;  ///< differentiable
  torch::Tensor nll;       ///< plain cross-entropy: its mean's exponential is the perplexity
};

}  // namespace transformer::ops

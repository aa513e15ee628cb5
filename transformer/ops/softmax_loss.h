// A softmax's loss at labels and, in the place of the logits, its gradient: on devices by an own kernel
// (gpu/source/cross_entropy.h), elsewhere by LibTorch's operations.
#pragma once

#include <torch/types.h>

namespace transformer::ops {

/// Of each row of logits, in fp32, or fp64 where these are: (n)
struct SoftmaxLoss {
  torch::Tensor nll;        ///< - log p[label]
  torch::Tensor logsumexp;  ///< of the logits
};

/// logits: (n, V), contiguous; labels: (n). Where a label is negative both numbers and the gradient are 0.
/// With `gradient` the logits become p - kept · [label]. In fp16,
/// which has no smaller numbers than 6e-8, less is left of the least probable words than in bf16, and more of
/// all others. Smoothing's part would be rounded with them, so it is not in there.
SoftmaxLoss softmax_loss(torch::Tensor& logits, const torch::Tensor& labels, double kept, bool gradient);

/// The same by its definition.
SoftmaxLoss reference_softmax_loss(torch::Tensor& logits, const torch::Tensor& labels, double kept,
                                   bool gradient);

}  // namespace transformer::ops

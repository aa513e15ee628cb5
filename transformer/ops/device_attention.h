// Section 3.2.1 on GPUs: attention over packed sequences by an own kernel for short ones (short_attention.h)
// and by those that LibTorch brings for CUDA. None writes the weights down.
#pragma once

#include "transformer/ops/fused_attention.h"

namespace transformer::ops {

/// Whether the kernels can compute this. They need packed sequences on a device other than the CPU, and head
/// sizes that fill vectors of 16 bytes. They support dropout on the weights, but neither a bias on scores,
/// nor a window, nor shared heads.
bool device_attention_can(const torch::Tensor& x, const AttentionMask& mask, const HeadSizes& sizes,
                          const torch::Tensor& bias);

/// Queries, keys and values of each row lie behind each other in `first`, (N, queries + keys + values). Or it
/// has the queries, (N, queries), and `second` the others, (M, keys + values). → (N, values of all heads).
/// Second derivatives are not implemented.
torch::Tensor device_attention(const torch::Tensor& first, const torch::Tensor& second,
                               const AttentionMask& mask, const HeadSizes& sizes, double dropout);

}  // namespace transformer::ops

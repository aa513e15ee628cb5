// Section 3.2.1 on GPUs: attention over packed sequences by the fused kernels that LibTorch brings for CUDA,
// which never write the weights down.
#pragma once

#include "transformer/ops/fused_attention.h"

namespace transformer::ops {

/// Whether the kernels can compute this. They need packed sequences on a device other than the CPU, and head
/// sizes that fill vectors of 16 bytes. They support dropout on the weights, but neither a bias on scores,
/// nor a window, nor shared heads.
bool device_attention_can(const torch::Tensor& x, const AttentionMask& mask, const HeadSizes& sizes,
                          const torch::Tensor& bias);

/// query: (N, keys), key: (M, keys), value: (M, values) → (N, values). The inputs may be slices of wider
/// rows. Second derivatives are not implemented.
torch::Tensor device_attention(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const AttentionMask& mask, const HeadSizes& sizes,
                               double dropout);

/// The same of queries, keys and values behind each other in one row: (N, keys + keys + values) → (N,
/// values). Their gradients are computed into one tensor if all have one size.
torch::Tensor device_self_attention(const torch::Tensor& projected, const AttentionMask& mask,
                                    const HeadSizes& sizes, double dropout);

}  // namespace transformer::ops

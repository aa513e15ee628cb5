// Attention over short packed sequences by an own kernel of GPUs (gpu/source/short_attention.h), which keeps
// tensor cores busy where FlashAttention and the memory-efficient kernel take 64 positions or more at a time.
#pragma once

#include <optional>

#include "transformer/ops/device_attention_call.h"

namespace transformer::ops {

struct ShortAttentionOutput {
  torch::Tensor output;     ///< (N, H, V)
  torch::Tensor logsumexp;  ///< (N, H) fp32, of the scaled scores
};

/// Nothing where the kernel is not there, or cannot compute this. It knows bf16 and fp16, sequences of at
/// most 64 positions, and head sizes that are multiples of 16 and at most 64. It has no dropout.
std::optional<ShortAttentionOutput> short_attention(const DeviceAttentionCall& call);

/// Writes the gradients of queries, keys and values, by heads. gradient: of the output, contiguous
void short_attention_backward(const DeviceAttentionCall& call, const ShortAttentionOutput& output,
                              const torch::Tensor& gradient, const torch::Tensor& query_gradient,
                              const torch::Tensor& key_gradient, const torch::Tensor& value_gradient);

}  // namespace transformer::ops

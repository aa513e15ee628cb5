// How long one layer of self-attention takes, and how much memory.
#pragma once

#include "transformer/nn/multi_head_attention.h"

namespace transformer::bench {

struct AttentionSetting {
  std::int64_t length = 4096;  ///< positions of the one sequence
  std::int64_t d_model = 512, heads = 8, d_k = 64;
  std::int64_t window = 0;  ///< 0: all positions
  bool causal = false;      ///< a decoder's: no position sees a later one
  torch::ScalarType precision = torch::kFloat;
  torch::Device device = torch::kCPU;
};

struct AttentionSpeed {
  AttentionSetting setting;
  double forward = 0, backward = 0;  ///< seconds of a pass, the least of several
  double memory = 0;                 ///< bytes at the peak, above what there was before the passes
};

/// Memory is what a process that did nothing else took at its peak: one measurement a process.
AttentionSpeed time_attention(const AttentionSetting& setting);

}  // namespace transformer::bench

// Additive scores: a network with one hidden layer scores each query and key (Bahdanau et al. 2015, appendix
// A.1.2). The hidden layer of a pair stays in registers.
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// scores[t, s] = Σ weight · tanh(query[t] + key[s]), of one sentence and head.
template <typename T>
struct AdditiveScores {
  std::int64_t queries = 0, keys = 0, width = 0;
  const T* query = nullptr;
  std::int64_t query_stride = 0;  ///< from a query to the next
  const T* key = nullptr;
  std::int64_t key_stride = 0;    ///< from a key to the next
  const float* weight = nullptr;  ///< (width)
  float* scores = nullptr;        ///< (queries, keys)
};

/// The hidden layer is computed again. Pairs without a gradient, such as those that a mask hides, add
/// nothing.
template <typename T>
struct AdditiveScoresBackward {
  AdditiveScores<T> forward;        ///< its scores are not used
  const float* gradient = nullptr;  ///< (queries, keys)
  float* query = nullptr;           ///< (queries, width); query, key and weight are added to
  float* key = nullptr;             ///< (keys, width)
  float* weight = nullptr;          ///< (width)
};

struct AdditiveKernels {
  void (*forward)(const AdditiveScores<float>&);
  void (*forward_bf16)(const AdditiveScores<Bf16>&);
  void (*backward)(const AdditiveScoresBackward<float>&);
  void (*backward_bf16)(const AdditiveScoresBackward<Bf16>&);
};
TRANSFORMER_KERNELS(AdditiveKernels, additive)

}  // namespace transformer::kernels

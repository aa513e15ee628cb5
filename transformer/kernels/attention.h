// Section 3.2.1: scaled dot-product attention, heads and sentences one after another, in cache.
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Vectors of a tensor (sentences, positions, heads, size). Head h of position p of sentence b begins at data
/// + (b · positions + p) · stride + h · size. For packed sentences (AttentionShape) the sentence's first
/// position replaces b · positions.
template <typename T>
struct HeadVectors {
  T* data = nullptr;
  std::int64_t stride = 0;
};

/// Queries that are worked on together.
inline constexpr std::int64_t kAttentionBlock = 32;

struct AttentionShape {
  std::int64_t heads = 0, queries = 0, keys = 0;  ///< the latter two: positions of the longest sentence
  std::int64_t key_size = 0, value_size = 0;
  /// Heads of keys and values, a divisor of `heads`: each is read by heads / kv_heads neighbours.
  std::int64_t kv_heads = 0;
  /// For sentences that lie packed, without padding: the place of each sentence's first position, (sentences
  /// + 1). Null: every sentence has as many positions as the longest.
  const std::int64_t *query_offsets = nullptr, *key_offsets = nullptr;
  bool causal = false;      ///< query t may attend to keys 0 … t alone
  std::int64_t window = 0;  ///< and to t - window … t + window alone; 0: to all. Time grows with it then
  /// 1 if query t of sentence b may attend to key s: mask[b · mask_sentence + t · mask_query + s]. Null: it
  /// may attend to all.
  const std::uint8_t* mask = nullptr;
  std::int64_t mask_sentence = 0, mask_query = 0;
  const float* bias = nullptr;  ///< (heads, queries, keys), added to the scaled scores; null: nothing
};

/// Heads of keys begin … end - 1 of all sentences, counted as b · kv_heads + g, each with the heads that read
/// it. Products and softmax are computed in float. A query that may attend to nothing gets zeros.
template <typename T>
struct Attention {
  AttentionShape shape;
  std::int64_t begin = 0, end = 0;
  HeadVectors<const T> query, key, value;
  HeadVectors<T> output;
  float* logsumexp = nullptr;  ///< out: (sentences, heads, queries), log Σ exp of the scaled scores; what no
                               ///< query of a sentence has is left as it is
  float* scratch = nullptr;    ///< attention_scratch(shape) floats
};

template <typename T>
struct AttentionBackward {
  AttentionShape shape;
  std::int64_t begin = 0, end = 0;
  HeadVectors<const T> query, key, value;
  const float* logsumexp = nullptr;
  HeadVectors<const T> output_gradient;
  HeadVectors<T> query_gradient, key_gradient, value_gradient;  ///< out
  /// Out, where not null: (sentences, heads, queries, keys), those of the scaled scores, where the query may
  /// attend; the rest is left as it is.
  float* score_gradient = nullptr;
  float* scratch = nullptr;  ///< attention_scratch(shape) floats
};

/// Keys that a block of queries may have in its reach, from the first to the last.
std::int64_t attention_reach(const AttentionShape& shape);

/// Room for one head's keys and values, plain, transposed and their gradients, and a block of queries.
std::int64_t attention_scratch(const AttentionShape& shape);

struct AttentionKernels {
  void (*forward)(const Attention<float>&);
  void (*forward_bf16)(const Attention<Bf16>&);
  void (*backward)(const AttentionBackward<float>&);
  void (*backward_bf16)(const AttentionBackward<Bf16>&);
};
TRANSFORMER_KERNELS(AttentionKernels, attention)

}  // namespace transformer::kernels

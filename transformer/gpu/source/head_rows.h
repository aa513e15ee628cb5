// A sentence's rows of one head, in memory and in a block's shared memory.
#pragma once

#include "transformer/gpu/source/products.h"

namespace transformer::gpu {

/// Queries, keys, values, outputs or their gradients. Row n of head h begins at first + n · stride + h ·
/// size. All of these are multiples of 16 bytes.
template <typename T>
struct HeadRows {
  T* first;
  Index stride;
};

/// What both passes are told.
template <typename T>
struct AttentionArguments {
  HeadRows<const T> query, key, value;
  const int *query_offsets, *key_offsets;  // (sentences + 1)
  int heads, d_k, d_v;                     // sizes: multiples of 16, at most 64
  float scale;
  int causal;
#ifndef __CUDACC_RTC__
  template <typename Visit>
  void pointers(Visit&& visit) {
    visit(query.first), visit(key.first), visit(value.first), visit(query_offsets), visit(key_offsets);
  }
#endif
};

/// The part of a block: one head's rows of a sentence.
struct AttentionPart {
  Index first_query, first_key;
  int head, queries, keys;

  template <typename T>
  static TRANSFORMER_ON_GPU AttentionPart of(const AttentionArguments<T>& a, Index block) {
    const Index sentence = block / a.heads;
    const int query = a.query_offsets[sentence], key = a.key_offsets[sentence];
    return {query, key, static_cast<int>(block % a.heads), a.query_offsets[sentence + 1] - query,
            a.key_offsets[sentence + 1] - key};
  }
};

TRANSFORMER_ON_GPU int whole_tiles(int rows) {
  return (rows + 15) / 16 * 16;
}

/// A sentence's rows of a head into shared memory, followed by zeros up to whole tiles.
template <int threads, typename T>
TRANSFORMER_ON_GPU void load_rows(T* shared, const HeadRows<const T>& from, Index first, int head, int size,
                                  int rows, int thread) {
  constexpr int kVector = kPacked<T>;
  const int vectors = size / kVector;
  for (int i = thread; i < whole_tiles(rows) * vectors; i += threads) {
    const int row = i / vectors, column = i % vectors * kVector;
    Pack<T, kVector> pack = {};
    if (row < rows)
      pack = *reinterpret_cast<const Pack<T, kVector>*>(from.first + (first + row) * from.stride +
                                                        static_cast<Index>(head) * size + column);
    *reinterpret_cast<Pack<T, kVector>*>(shared + row * kRowStride + column) = pack;
  }
}

/// The queries, keys and values of a part.
template <int threads, typename T, typename Shared>
TRANSFORMER_ON_GPU void load_part(Shared& shared, const AttentionArguments<T>& a, const AttentionPart& part,
                                  int thread) {
  load_rows<threads>(shared.query, a.query, part.first_query, part.head, a.d_k, part.queries, thread);
  load_rows<threads>(shared.key, a.key, part.first_key, part.head, a.d_k, part.keys, thread);
  load_rows<threads>(shared.value, a.value, part.first_key, part.head, a.d_v, part.keys, thread);
}

/// Writes numbers of 16 rows from `row` on, times factors of a thread's two rows.
template <int most, typename T>
TRANSFORMER_ON_GPU void store_rows(const HeadRows<T>& to, Index first, int head, int size, int rows, int row,
                                   const Quad (&c)[most], const float (&factors)[2], int lane) {
  T* const place = to.first + (first + row) * to.stride + static_cast<Index>(head) * size;
  TRANSFORMER_UNROLL
  for (int tile = 0; tile < most; ++tile) {
    TRANSFORMER_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int at = row_of(lane, 2 * half), column = 8 * tile + column_of(lane, 0);
      if (row + at >= rows || 8 * tile >= size) continue;
      Pack<T, 2> pair;
      store(pair.values[0], c[tile].values[2 * half] * factors[half]);
      store(pair.values[1], c[tile].values[2 * half + 1] * factors[half]);
      *reinterpret_cast<Pack<T, 2>*>(place + at * to.stride + column) = pair;
    }
  }
}

}  // namespace transformer::gpu

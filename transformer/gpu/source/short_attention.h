// Section 3.2.1 on GPUs: attention over packed sequences of at most 32 or 64 positions, and its gradients. A
// block takes a head of a sentence. All that it needs lies in shared memory, and its weights never leave it.
// Products are by tensor cores (products.h); sums are fp32.
#pragma once

#include "transformer/gpu/source/head_rows.h"

namespace transformer::gpu {

template <typename T>
struct ShortAttentionArguments : AttentionArguments<T> {
  HeadRows<T> output;  // out
  float* logsumexp;    // out: (queries, heads), of the scaled scores
#ifndef __CUDACC_RTC__
  template <typename Visit>
  void pointers(Visit&& visit) {
    AttentionArguments<T>::pointers(visit);
    visit(output.first), visit(logsumexp);
  }
#endif
};

/// kMost: the most positions of a sentence, 32 or 64. A warp takes 16 queries.
template <typename T, int kMost>
struct ShortAttention {
  using Arguments = ShortAttentionArguments<T>;
  static constexpr int kThreads = 2 * kMost, kPhases = 4, kTiles = kMost / 8, kSizes = 64 / 8;

  struct alignas(16) Shared {
    T query[kMost * kRowStride];  // then the weights, (queries, keys)
    T key[kMost * kRowStride], value[kMost * kRowStride];
    float maxima[kMost][4], sums[kMost][4], rounded[kMost][4];  // of the four threads of a row
  };
  struct Own {
    AttentionPart part;
    Quad scores[kTiles];
    float maximum[2];  // of the thread's two rows
  };

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& shared, Own& own) {
    const int lane = thread % 32, row = thread / 32 * 16;
    const auto& part = own.part;
    if constexpr (phase == 0) {
      own.part = AttentionPart::of(a, block);
      load_part<kThreads, T>(shared, a, part, thread);
      return;
    }
    if (row >= part.queries) return;
    if constexpr (phase == 1)
      score(a, row, lane, shared, own);
    else if constexpr (phase == 2)
      weigh(row, lane, shared, own);
    else
      write(a, row, lane, shared, own);
  }

 private:
  static TRANSFORMER_ON_GPU void score(const Arguments& a, int row, int lane, Shared& shared, Own& own) {
    const auto& part = own.part;
    for (auto& quad : own.scores) quad = {};
    add_product(own.scores, Matrix<T, false>{shared.query}, Matrix<T, false>{shared.key}, row, a.d_k,
                whole_tiles(part.keys) / 8, lane);
    float maximum[2] = {-infinity(), -infinity()};
    for_each_number(own.scores, kTiles, lane, [&](float& score, int query, int key, int half) {
      const bool seen = key < part.keys && (!a.causal || key <= row + query);
      score = seen ? score * a.scale : -infinity();
      if (score > maximum[half]) maximum[half] = score;
    });
    for (int half = 0; half < 2; ++half)
      shared.maxima[row + row_of(lane, 2 * half)][lane % 4] = maximum[half];
  }

  /// The weights, before they are divided by their sum, take the place of the queries, which this warp alone
  /// has read.
  static TRANSFORMER_ON_GPU void weigh(int row, int lane, Shared& shared, Own& own) {
    for (int half = 0; half < 2; ++half) {
      own.maximum[half] = -infinity();
      for (const float of_thread : shared.maxima[row + row_of(lane, 2 * half)])
        if (of_thread > own.maximum[half]) own.maximum[half] = of_thread;
    }
    float sums[2] = {}, rounded[2] = {};
    for_each_number(own.scores, whole_tiles(own.part.keys) / 8, lane,
                    [&](const float& score, int query, int key, int half) {
                      const float weight = score > -infinity() ? expf(score - own.maximum[half]) : 0;
                      T& place = shared.query[(row + query) * kRowStride + key];
                      store(place, weight);
                      sums[half] += weight;
                      rounded[half] += to_float(place);
                    });
    for (int half = 0; half < 2; ++half) {
      const int at = row + row_of(lane, 2 * half);
      shared.sums[at][lane % 4] = sums[half];
      shared.rounded[at][lane % 4] = rounded[half];
    }
  }

  static TRANSFORMER_ON_GPU void write(const Arguments& a, int row, int lane, Shared& shared,
                                       const Own& own) {
    const auto& part = own.part;
    Quad outputs[kSizes] = {};
    add_product(outputs, Matrix<T, false>{shared.query}, Matrix<T, true>{shared.value}, row,
                whole_tiles(part.keys), a.d_v / 8, lane);
    float inverse[2];
    for (int half = 0; half < 2; ++half) {
      const int at = row + row_of(lane, 2 * half);
      float sum = 0, rounded = 0;
      for (int i = 0; i < 4; ++i) sum += shared.sums[at][i], rounded += shared.rounded[at][i];
      inverse[half] = sum > 0 ? 1 / rounded : 0;  // the weights that are used add up to one, if there are any
      if (at < part.queries && lane % 4 == 0)
        a.logsumexp[(part.first_query + at) * a.heads + part.head] =
            sum > 0 ? own.maximum[half] + logf(sum) : 0;
    }
    store_rows(a.output, part.first_query, part.head, a.d_v, part.queries, row, outputs, inverse, lane);
  }
};

template <typename T>
using ShortAttention32 = ShortAttention<T, 32>;
template <typename T>
using ShortAttention64 = ShortAttention<T, 64>;

TRANSFORMER_GPU_KERNEL(short_attention_32_bf16, ShortAttention32<Bf16>)
TRANSFORMER_GPU_KERNEL(short_attention_32_fp16, ShortAttention32<Fp16>)
TRANSFORMER_GPU_KERNEL(short_attention_64_bf16, ShortAttention64<Bf16>)
TRANSFORMER_GPU_KERNEL(short_attention_64_fp16, ShortAttention64<Fp16>)

template <typename T>
struct ShortAttentionBackwardArguments : AttentionArguments<T> {
  HeadRows<const T> output, output_gradient;
  const float* logsumexp;                                    // (queries, heads)
  HeadRows<T> query_gradient, key_gradient, value_gradient;  // out
#ifndef __CUDACC_RTC__
  template <typename Visit>
  void pointers(Visit&& visit) {
    AttentionArguments<T>::pointers(visit);
    visit(output.first), visit(output_gradient.first), visit(logsumexp), visit(query_gradient.first),
        visit(key_gradient.first), visit(value_gradient.first);
  }
#endif
};

/// Weights are computed once more, from the logarithms of their sums.
template <typename T, int kMost>
struct ShortAttentionBackward {
  using Arguments = ShortAttentionBackwardArguments<T>;
  static constexpr int kThreads = 2 * kMost, kPhases = 4, kTiles = kMost / 8, kSizes = 64 / 8;

  struct alignas(16) Shared {
    T query[kMost * kRowStride], key[kMost * kRowStride], output_gradient[kMost * kRowStride];
    T value[kMost * kRowStride];    // then the weights, (queries, keys)
    T scores[kMost * kRowStride];   // gradients, (queries, keys)
    float products[kMost][kSizes];  // Σ output · gradient, of eight numbers of a row each
  };
  struct Own {
    AttentionPart part;
    Quad weights[kTiles], scores[kTiles];  // of the latter the gradients
  };

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& shared, Own& own) {
    const int lane = thread % 32, row = thread / 32 * 16;
    const auto& part = own.part;
    if constexpr (phase == 0) {
      own.part = AttentionPart::of(a, block);
      load_part<kThreads, T>(shared, a, part, thread);
      load_rows<kThreads>(shared.output_gradient, a.output_gradient, part.first_query, part.head, a.d_v,
                          part.queries, thread);
      sum_products(a, part, thread, shared);
    } else if constexpr (phase == 1) {
      if (row < part.queries) weigh(a, row, lane, shared, own);
    } else if constexpr (phase == 2) {
      if (row < part.queries) share(row, lane, shared, own);
    } else {
      if (row < part.queries) write_query(a, part, row, lane, shared);
      if (row < part.keys) write_key_and_value(a, part, row, lane, shared);
    }
  }

 private:
  static TRANSFORMER_ON_GPU void sum_products(const Arguments& a, const AttentionPart& part, int thread,
                                              Shared& shared) {
    const int vectors = a.d_v / 8;
    for (int i = thread; i < part.queries * vectors; i += kThreads) {
      const int at = i / vectors, vector = i % vectors;
      const auto numbers = [&](const HeadRows<const T>& rows) {
        return *reinterpret_cast<const Pack<T, 8>*>(rows.first + (part.first_query + at) * rows.stride +
                                                    static_cast<Index>(part.head) * a.d_v + 8 * vector);
      };
      const auto output = numbers(a.output), gradient = numbers(a.output_gradient);
      float sum = 0;
      TRANSFORMER_UNROLL
      for (int k = 0; k < 8; ++k) sum += to_float(output.values[k]) * to_float(gradient.values[k]);
      shared.products[at][vector] = sum;
    }
  }

  static TRANSFORMER_ON_GPU void weigh(const Arguments& a, int row, int lane, Shared& shared, Own& own) {
    const auto& part = own.part;
    const int tiles = whole_tiles(part.keys) / 8;
    for (auto& quad : own.weights) quad = {};
    for (auto& quad : own.scores) quad = {};
    add_product(own.weights, Matrix<T, false>{shared.query}, Matrix<T, false>{shared.key}, row, a.d_k, tiles,
                lane);
    add_product(own.scores, Matrix<T, false>{shared.output_gradient}, Matrix<T, false>{shared.value}, row,
                a.d_v, tiles, lane);
    float logsumexp[2] = {}, product[2] = {};
    for (int half = 0; half < 2; ++half) {
      const int at = row + row_of(lane, 2 * half);
      if (at >= part.queries) continue;
      logsumexp[half] = a.logsumexp[(part.first_query + at) * a.heads + part.head];
      for (int vector = 0; vector < a.d_v / 8; ++vector) product[half] += shared.products[at][vector];
    }
    for_each_number(own.weights, kTiles, lane, [&](float& weight, int query, int key, int half) {
      const bool seen = row + query < part.queries && key < part.keys && (!a.causal || key <= row + query);
      weight = seen ? expf(weight * a.scale - logsumexp[half]) : 0;
    });
    TRANSFORMER_UNROLL
    for (int tile = 0; tile < kTiles; ++tile) {
      TRANSFORMER_UNROLL
      for (int i = 0; i < 4; ++i) {
        float& score = own.scores[tile].values[i];
        score = own.weights[tile].values[i] * (score - product[i / 2]) * a.scale;
      }
    }
  }

  /// Other warps need these, too.
  static TRANSFORMER_ON_GPU void share(int row, int lane, Shared& shared, Own& own) {
    const int tiles = whole_tiles(own.part.keys) / 8;
    const auto write = [&](T* to) {
      return [=](const float& number, int query, int key, int /*half*/) {
        store(to[(row + query) * kRowStride + key], number);
      };
    };
    for_each_number(own.weights, tiles, lane, write(shared.value));
    for_each_number(own.scores, tiles, lane, write(shared.scores));
  }

  static TRANSFORMER_ON_GPU void write_query(const Arguments& a, const AttentionPart& part, int row, int lane,
                                             const Shared& shared) {
    constexpr float kOnce[2] = {1, 1};
    Quad sums[kSizes] = {};
    add_product(sums, Matrix<T, false>{shared.scores}, Matrix<T, true>{shared.key}, row,
                whole_tiles(part.keys), a.d_k / 8, lane);
    store_rows(a.query_gradient, part.first_query, part.head, a.d_k, part.queries, row, sums, kOnce, lane);
  }

  static TRANSFORMER_ON_GPU void write_key_and_value(const Arguments& a, const AttentionPart& part, int row,
                                                     int lane, const Shared& shared) {
    constexpr float kOnce[2] = {1, 1};
    const int queries = whole_tiles(part.queries);
    Quad sums[kSizes] = {};
    add_product(sums, Matrix<T, true>{shared.scores}, Matrix<T, true>{shared.query}, row, queries, a.d_k / 8,
                lane);
    store_rows(a.key_gradient, part.first_key, part.head, a.d_k, part.keys, row, sums, kOnce, lane);
    for (auto& quad : sums) quad = {};
    add_product(sums, Matrix<T, true>{shared.value}, Matrix<T, true>{shared.output_gradient}, row, queries,
                a.d_v / 8, lane);
    store_rows(a.value_gradient, part.first_key, part.head, a.d_v, part.keys, row, sums, kOnce, lane);
  }
};

template <typename T>
using ShortAttentionBackward32 = ShortAttentionBackward<T, 32>;
template <typename T>
using ShortAttentionBackward64 = ShortAttentionBackward<T, 64>;

TRANSFORMER_GPU_KERNEL(short_attention_backward_32_bf16, ShortAttentionBackward32<Bf16>)
TRANSFORMER_GPU_KERNEL(short_attention_backward_32_fp16, ShortAttentionBackward32<Fp16>)
TRANSFORMER_GPU_KERNEL(short_attention_backward_64_bf16, ShortAttentionBackward64<Bf16>)
TRANSFORMER_GPU_KERNEL(short_attention_backward_64_fp16, ShortAttentionBackward64<Fp16>)

}  // namespace transformer::gpu

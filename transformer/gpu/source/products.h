// Products of small matrices that lie in a block's shared memory, by tensor cores.
#pragma once

#include "transformer/gpu/source/phases.h"

namespace transformer::gpu {

/// Numbers from one row of a shared matrix to the next. Matrices have at most 64 columns. Eight more let all
/// threads of a warp read at once what a product needs.
constexpr int kRowStride = 72;

/// What a thread of a warp holds of 16 · 8 numbers: [0] and [1] are neighbours in row thread / 4, column 2 ·
/// (thread mod 4), and [2] and [3] are the same eight rows below.
struct Quad {
  float values[4];
};

TRANSFORMER_ON_GPU int row_of(int lane, int i) {
  return lane / 4 + 8 * (i / 2);
}
TRANSFORMER_ON_GPU int column_of(int lane, int i) {
  return 2 * (lane % 4) + i % 2;
}

/// Calls visit(number, row, column, half) for each number of the first `tiles`, which stand side by side.
/// half: which of the thread's two rows it is in.
template <int most, typename Visit>
TRANSFORMER_ON_GPU void for_each_number(Quad (&c)[most], int tiles, int lane, const Visit& visit) {
  TRANSFORMER_UNROLL
  for (int tile = 0; tile < most; ++tile) {
    TRANSFORMER_UNROLL
    for (int i = 0; i < 4; ++i)
      if (tile < tiles) visit(c[tile].values[i], row_of(lane, i), 8 * tile + column_of(lane, i), i / 2);
  }
}

/// A matrix in shared memory, or the transpose of what lies there.
template <typename T, bool transposed>
struct Matrix {
  const T* first;

  TRANSFORMER_ON_GPU T at(int row, int column) const {
    return transposed ? first[column * kRowStride + row] : first[row * kRowStride + column];
  }
  /// Two neighbours of a row. The column is even.
  TRANSFORMER_ON_GPU Word pair(int row, int column) const {
#ifdef __CUDACC_RTC__
    if constexpr (!transposed) return *reinterpret_cast<const Word*>(first + row * kRowStride + column);
#endif
    return at(row, column).bits | (static_cast<Word>(at(row, column + 1).bits) << 16);
  }
};

/// A thread's part of what a product reads: of 16 rows of a and of 8 rows of b, over 16 columns from k on.
/// The order is PTX's for mma.m16n8k16.
template <typename T, bool transposed>
TRANSFORMER_ON_GPU void take_a(Word (&parts)[4], const Matrix<T, transposed>& a, int row, int k, int lane) {
  for (int i = 0; i < 4; ++i) parts[i] = a.pair(row + lane / 4 + i % 2 * 8, k + 2 * (lane % 4) + i / 2 * 8);
}
template <typename T, bool transposed>
TRANSFORMER_ON_GPU void take_b(Word (&parts)[2], const Matrix<T, transposed>& b, int row, int k, int lane) {
  for (int i = 0; i < 2; ++i) parts[i] = b.pair(row + lane / 4, k + 2 * (lane % 4) + i * 8);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TRANSFORMER_TENSOR_CORES

TRANSFORMER_ON_GPU void multiply(Quad& c, const Word (&a)[4], const Word (&b)[2], Bf16 /*type*/) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c.values[0]), "+f"(c.values[1]), "+f"(c.values[2]), "+f"(c.values[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
TRANSFORMER_ON_GPU void multiply(Quad& c, const Word (&a)[4], const Word (&b)[2], Fp16 /*type*/) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c.values[0]), "+f"(c.values[1]), "+f"(c.values[2]), "+f"(c.values[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

/// c += a · bᵀ, of 16 rows of a from `row` on. Each of the first `tiles` of c is of eight further rows of b.
/// Both have `inner` columns, a multiple of 16. All threads of a warp call it with the same numbers but their
/// lane's.
template <int most, typename T, bool a_transposed, bool b_transposed>
TRANSFORMER_ON_GPU void add_product(Quad (&c)[most], const Matrix<T, a_transposed>& a,
                                    const Matrix<T, b_transposed>& b, int row, int inner, int tiles,
                                    int lane) {
#ifdef TRANSFORMER_TENSOR_CORES
  for (int k = 0; k < inner; k += 16) {
    Word of_a[4];
    take_a(of_a, a, row, k, lane);
    TRANSFORMER_UNROLL
    for (int tile = 0; tile < most; ++tile) {
      if (tile >= tiles) continue;
      Word of_b[2];
      take_b(of_b, b, 8 * tile, k, lane);
      multiply(c[tile], of_a, of_b, T{});
    }
  }
#else  // on cards without such products of these types, and on CPUs
  for_each_number(c, tiles, lane, [&](float& sum, int a_row, int b_row, int /*half*/) {
    for (int k = 0; k < inner; ++k) sum += to_float(a.at(row + a_row, k)) * to_float(b.at(b_row, k));
  });
#endif
}

}  // namespace transformer::gpu

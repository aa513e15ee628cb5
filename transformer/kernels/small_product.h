// Products of matrices that fit into a core's own cache. For kernel files only, as vec.h.
#pragma once

#include "transformer/kernels/vec.h"

namespace transformer::kernels::TRANSFORMER_LEVEL {

/// A matrix whose rows, and the elements of a row, are a stride apart: a transpose costs nothing.
struct Strided {
  const float* data = nullptr;
  std::int64_t row = 0, column = 1;
};

/// A tile of Rows x (Vectors · kWidth) of C = A B, or C += A B.
template <int Rows, int Vectors>
void product_tile(std::int64_t inner, Strided a, const float* b, std::int64_t b_stride, float* c,
                  std::int64_t c_stride, bool add) {
  Vec sums[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) sums[r][v] = add ? load(c + r * c_stride + v * kWidth) : Vec{};
  for (std::int64_t k = 0; k < inner; ++k) {
    Vec columns[Vectors];
    for (int v = 0; v < Vectors; ++v) columns[v] = load(b + k * b_stride + v * kWidth);
    for (int r = 0; r < Rows; ++r) {
      const Vec factor = broadcast(a.data[r * a.row + k * a.column]);
      for (int v = 0; v < Vectors; ++v) sums[r][v] += factor * columns[v];
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) store(c + r * c_stride + v * kWidth, sums[r][v]);
}

template <int Vectors>
void product_columns(std::int64_t rows, std::int64_t inner, Strided a, const float* b, std::int64_t b_stride,
                     float* c, std::int64_t c_stride, bool add) {
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4)
    product_tile<4, Vectors>(inner, {a.data + r * a.row, a.row, a.column}, b, b_stride, c + r * c_stride,
                             c_stride, add);
  for (; r < rows; ++r)
    product_tile<1, Vectors>(inner, {a.data + r * a.row, a.row, a.column}, b, b_stride, c + r * c_stride,
                             c_stride, add);
}

/// C (rows, columns) = A (rows, inner) B (inner, columns), or C += A B. Columns are a multiple of kWidth.
inline void product(std::int64_t rows, std::int64_t columns, std::int64_t inner, Strided a, const float* b,
                    std::int64_t b_stride, float* c, std::int64_t c_stride, bool add = false) {
  std::int64_t i = 0;
  for (; i + 4 * kWidth <= columns; i += 4 * kWidth)
    product_columns<4>(rows, inner, a, b + i, b_stride, c + i, c_stride, add);
  for (; i < columns; i += kWidth) product_columns<1>(rows, inner, a, b + i, b_stride, c + i, c_stride, add);
}

inline std::int64_t round_up(std::int64_t n) {
  return (n + kWidth - 1) / kWidth * kWidth;
}

/// to (columns, to_stride) = the transpose of from (rows, from_stride), rows and columns multiples of kWidth.
inline void transpose(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t from_stride,
                      float* to, std::int64_t to_stride) {
  for (std::int64_t i = 0; i < rows; i += kWidth)
    for (std::int64_t j = 0; j < columns; ++j) {
      Vec column;
      for (std::int64_t k = 0; k < kWidth; ++k) column[k] = from[(i + k) * from_stride + j];
      store(to + j * to_stride + i, column);
    }
}

}  // namespace transformer::kernels::TRANSFORMER_LEVEL

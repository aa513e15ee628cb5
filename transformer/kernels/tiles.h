// Products of bf16 and of 8-bit integers by a CPU's unit for matrices (AMX). For kernel files only, as vec.h.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "transformer/kernels/linear.h"

namespace transformer::kernels::TRANSFORMER_LEVEL {

/// A tile register has 16 rows of 64 bytes: of x 16 groups of inputs (kGroup), of a panel 16 channels of as
/// many groups, of y 16 sums.
constexpr int kTileRows = 16, kTileBytes = 64;

/// The registers are 0 to 3: y; 4: x; 5: weights. While it lives, they are this thread's.
class Tiles {
 public:
  Tiles() = default;
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  /// Rows of x and y from now on.
  void set_rows(int rows) {
    if (rows == rows_) return;
    rows_ = rows;
    Shapes shapes;
    for (int i = 0; i < 6; ++i) {
      shapes.bytes[i] = kTileBytes;
      shapes.rows[i] = static_cast<std::uint8_t>(i < 5 ? rows : kTileRows);
    }
    _tile_loadconfig(&shapes);
  }

 private:
  struct alignas(64) Shapes {
    std::uint8_t palette = 1, start = 0, none[14] = {};
    std::uint16_t bytes[16] = {};
    std::uint8_t rows[16] = {};
  };

  int rows_ = 0;
};

/// Sums of the rows of x that are set, times a panel's 64 channels: sums[column][row], of 16 channels each.
/// `step` is called before each 16 groups.
template <typename T, typename Sum, typename Step>
void multiply_tiles(const Input<T>* x, std::int64_t x_stride, const T* weight, std::int64_t groups,
                    Sum (*sums)[kTileRows], Step&& step) {
  constexpr auto kColumnStep = 16 * kGroup<T>;  // numbers from a channel's group to the next but 15
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::int64_t g = 0; g < groups; g += 16) {
    _tile_loadd(4, x, x_stride * static_cast<std::int64_t>(sizeof *x));
#define TRANSFORMER_COLUMN(i)                           \
  step();                                               \
  _tile_loadd(5, weight + (i)*kColumnStep, kPanel * 4); \
  if constexpr (std::is_same_v<T, Bf16>)                \
    _tile_dpbf16ps(i, 4, 5);                            \
  else                                                  \
    _tile_dpbusd(i, 4, 5);
    TRANSFORMER_COLUMN(0)
    TRANSFORMER_COLUMN(1)
    TRANSFORMER_COLUMN(2)
    TRANSFORMER_COLUMN(3)
#undef TRANSFORMER_COLUMN
    x += 16 * kGroup<T>;
    weight += 16 * kPanel * kGroup<T>;
  }
  _tile_stored(0, sums[0], kTileBytes);
  _tile_stored(1, sums[1], kTileBytes);
  _tile_stored(2, sums[2], kTileBytes);
  _tile_stored(3, sums[3], kTileBytes);
}

}  // namespace transformer::kernels::TRANSFORMER_LEVEL

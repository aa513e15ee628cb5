#include "transformer/kernels/linear.h"

#include <algorithm>

#include "transformer/kernels/activation.h"
#ifdef __AMX_TILE__
#include "transformer/kernels/tiles.h"
#endif
#include "transformer/kernels/vec.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// A tile of y is kMostRows x (kColumns · kWidth), in registers: 24 of AVX-512's 32, 12 of the 16 elsewhere.
constexpr int kMostRows = 6;
constexpr int kColumns = kWidth == 16 ? 4 : 2;

/// The bytes of x and y that are to stay in the second level cache while all weights pass by.
constexpr std::int64_t kBlockBytes = 384 << 10;

template <typename To, typename From>
To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// How one vector of sums takes a group of inputs, 4 bytes of x, times that group of kWidth channels.
inline Vec multiply_add(Vec sum, const float* x, const float* weight) {
  return sum + broadcast(*x) * load(weight);
}

inline Vec multiply_add(Vec sum, const Bf16* x, const Bf16* weight) {
  std::uint32_t pair = 0;
  std::memcpy(&pair, x, sizeof pair);
#ifdef __AVX512BF16__
  return bits<Vec>(_mm512_dpbf16_ps(bits<__m512>(sum), bits<__m512bh>(_mm512_set1_epi32(bits<int>(pair))),
                                    bits<__m512bh>(_mm512_loadu_si512(weight))));
#else
  WordVec words;
  std::memcpy(&words, weight, sizeof words);
  sum += broadcast(bits<float>(pair << 16)) * bits<Vec>(words << 16);
  return sum + broadcast(bits<float>(pair & 0xffff0000U)) * bits<Vec>(words & 0xffff0000U);
#endif
}

inline IntVec multiply_add(IntVec sum, const std::uint8_t* x, const std::int8_t* weight) {
#ifdef __AVX512VNNI__
  int group = 0;
  std::memcpy(&group, x, sizeof group);
  return bits<IntVec>(
      _mm512_dpbusd_epi32(bits<__m512i>(sum), _mm512_set1_epi32(group), _mm512_loadu_si512(weight)));
#elif defined(__AVX2__) && !defined(__AVX512F__)
  // Pairs of 16-bit integers: bytes 0 and 2, and bytes 1 and 3 of each group. Their sums fit into 32 bits.
  // Parts that depend only on the weights are computed once for all rows of a tile.
  const auto bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weight));
  const auto even = _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8), odd = _mm256_srai_epi16(bytes, 8);
  int group = 0;
  std::memcpy(&group, x, sizeof group);
  const auto inputs = _mm256_set1_epi32(group);
  const auto products = _mm256_madd_epi16(even, _mm256_and_si256(inputs, _mm256_set1_epi16(0xff)));
  const auto others = _mm256_madd_epi16(odd, _mm256_srli_epi16(inputs, 8));
  return bits<IntVec>(_mm256_add_epi32(_mm256_add_epi32(bits<__m256i>(sum), products), others));
#else
  IntVec words;
  std::memcpy(&words, weight, sizeof words);
  for (int i = 0; i < 4; ++i) sum += ((words << (24 - 8 * i)) >> 24) * static_cast<std::int32_t>(x[i]);
  return sum;
#endif
}

template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, std::int8_t>, IntVec, Vec>;

/// Turns sums of kWidth channels, starting at number `channel`, into results.
template <typename T>
struct Finish {
  Vec bias;
  Finish(const PackedWeight<T>& weight, std::int64_t channel) : bias(load(weight.bias.data() + channel)) {}
  Vec operator()(const Linear<T>&, Vec sum, std::int64_t) const { return sum + bias; }
};

template <>
struct Finish<std::int8_t> {
  Vec bias, scale;
  IntVec compensation;
  Finish(const PackedWeight<std::int8_t>& weight, std::int64_t channel)
      : bias(load(weight.bias.data() + channel)), scale(load(weight.scale.data() + channel)) {
    std::memcpy(&compensation, weight.compensation.data() + channel, sizeof compensation);
  }
  Vec operator()(const Linear<std::int8_t>& a, IntVec sum, std::int64_t row) const {
    return __builtin_convertvector(sum - compensation, Vec) * (scale * a.x_scale[row]) + bias;
  }
};

/// Calls put(f) with the activation as a function, so that what it is is asked once.
template <typename Put>
void with_activation(std::optional<nn::Activation> activation, Put&& put) {
  if (!activation)
    put([](Vec x) { return x; });
  else if (*activation == nn::Activation::relu)
    put([](Vec x) { return activate(x, nn::Activation::relu); });
  else
    put([&](Vec x) { return activate(x, *activation); });
}

/// Bytes of a panel that one step takes, and of a line of the caches.
constexpr std::int64_t kStep = kColumns * kWidth * 4, kLine = 64;

/// How far ahead of a tile that is alone memory is asked for: CPUs foresee less of what comes.
constexpr std::int64_t kFar = 16 << 10;

/// Weights that come later, so many bytes for each step, which memory is asked for meanwhile.
struct Ahead {
  const char* from = nullptr;
  std::int64_t bytes = 0;
};

/// The tiles of a panel ask for the next one together. If the registers hold only a part of a panel's
/// channels at once, a tile reads the panel in strides and a tile that is alone does so, too.
template <typename T>
Ahead ahead_of(const Linear<T>& a, std::int64_t panel, std::int64_t tile, std::int64_t tiles) {
  const auto size = a.weight->groups * kPanel * 4;
  const auto* here = reinterpret_cast<const char*>(a.weight->values.data()) + (a.first_panel + panel) * size;
  if (tiles == 1 && kStep == 4 * kPanel) return {here + kFar, kStep};
  const auto bytes = greatest(kLine, (kStep / tiles + kLine - 1) / kLine * kLine);
  if (tile * bytes >= kStep || panel + 1 == a.panels) return {};
  return {here + size + tile * bytes * a.weight->groups, bytes};
}

/// kRows rows from `row` on, times one panel.
template <typename T, int kRows>
void tile(const Linear<T>& a, std::int64_t row, std::int64_t panel, Ahead ahead) {
  const auto groups = a.weight->groups;
  const auto number = a.first_panel + panel;
  const Input<T>* x = a.x + row * a.x_stride;
  for (std::int64_t column = 0; column < kPanel; column += kColumns * kWidth) {
    const T* weight = a.weight->values.data() + (number * groups * kPanel + column) * kGroup<T>;
    Sum<T> sums[kRows][kColumns] = {};
    for (std::int64_t g = 0; g < groups; ++g, weight += kPanel * kGroup<T>) {
      for (std::int64_t i = 0; i < ahead.bytes; i += kLine) __builtin_prefetch(ahead.from + i, 0, 2);
      ahead.from += ahead.bytes;
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int c = 0; c < kColumns; ++c)
          sums[r][c] =
              multiply_add(sums[r][c], x + r * a.x_stride + g * kGroup<T>, weight + c * kWidth * kGroup<T>);
      }
    }
    float* y = a.y + row * a.y_stride + panel * kPanel + column;
    with_activation(a.activation, [&](auto&& f) {
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        const Finish<T> finish(*a.weight, number * kPanel + column + c * kWidth);
#pragma GCC unroll 6
        for (int r = 0; r < kRows; ++r)
          store(y + r * a.y_stride + c * kWidth, f(finish(a, sums[r][c], row + r)));
      }
    });
  }
}

template <typename T>
void tile_of(int rows, const Linear<T>& a, std::int64_t row, std::int64_t panel, Ahead ahead) {
  switch (rows) {
    case 1:
      return tile<T, 1>(a, row, panel, ahead);
    case 2:
      return tile<T, 2>(a, row, panel, ahead);
    case 3:
      return tile<T, 3>(a, row, panel, ahead);
    case 4:
      return tile<T, 4>(a, row, panel, ahead);
    case 5:
      return tile<T, 5>(a, row, panel, ahead);
    default:
      return tile<T, kMostRows>(a, row, panel, ahead);
  }
}

template <typename T>
void product(const Linear<T>& a) {
  const auto most = greatest(kMostRows, kBlockBytes / (a.x_stride * static_cast<std::int64_t>(sizeof(T))));
  for (std::int64_t begin = 0; begin < a.rows; begin += most) {
    const auto rows = least(most, a.rows - begin);
    const auto tiles = (rows + kMostRows - 1) / kMostRows;  // of sizes that differ by one at most
    for (std::int64_t panel = 0; panel < a.panels; ++panel) {
      for (std::int64_t i = 0; i < tiles; ++i) {
        const auto first = i * rows / tiles, end = (i + 1) * rows / tiles;
        tile_of<T>(static_cast<int>(end - first), a, begin + first, panel, ahead_of(a, panel, i, tiles));
      }
    }
  }
}

#ifdef __AMX_TILE__
/// The same by tiles of up to 16 rows. Sums of integers are exact, and vectors read few rows' weights faster.
template <typename T>
void tiled_product(const Linear<T>& a) {
  constexpr auto kFewRows = std::is_same_v<T, std::int8_t> ? 4 : 0;
  if (a.rows <= kFewRows) return product(a);
  const auto groups = a.weight->groups;
  Tiles registers;
  alignas(64) Sum<T> sums[4][kTileRows];
  const auto most = greatest(kTileRows, kBlockBytes / (a.x_stride * static_cast<std::int64_t>(sizeof(T))));
  for (std::int64_t begin = 0; begin < a.rows; begin += most) {
    const auto rows = least(most, a.rows - begin), tiles = (rows + kTileRows - 1) / kTileRows;
    for (std::int64_t panel = 0; panel < a.panels; ++panel) {
      const auto number = a.first_panel + panel;
      for (std::int64_t i = 0; i < tiles; ++i) {
        const auto row = begin + i * kTileRows, here = least(kTileRows, begin + rows - row);
        registers.set_rows(static_cast<int>(here));
        auto ahead = ahead_of(a, panel, i, tiles);
        const auto ask = [&] {
          for (std::int64_t byte = 0; byte < 4 * ahead.bytes; byte += kLine)
            __builtin_prefetch(ahead.from + byte, 0, 2);
          ahead.from += 4 * ahead.bytes;
        };
        multiply_tiles(a.x + row * a.x_stride, a.x_stride,
                       a.weight->values.data() + number * groups * kPanel * kGroup<T>, groups, sums, ask);
        float* y = a.y + row * a.y_stride + panel * kPanel;
        with_activation(a.activation, [&](auto&& f) {
          for (int c = 0; c < 4; ++c) {
            const Finish<T> finish(*a.weight, number * kPanel + c * kWidth);
            for (std::int64_t r = 0; r < here; ++r)
              store(y + r * a.y_stride + c * kWidth, f(finish(a, sums[c][r], row + r)));
          }
        });
      }
    }
  }
}
#endif

void round_bf16(const Rounding<Bf16>& a) {
  for (std::int64_t i = 0; i < a.rows * a.width; i += kWidth) store(a.y + i, load(a.x + i));
}

void round_int8(const Rounding<std::int8_t>& a) {
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const float* x = a.x + row * a.width;
    Vec magnitude{};
    for (std::int64_t i = 0; i < a.width; i += kWidth) {
      const Vec v = load(x + i);
      magnitude = max(magnitude, max(v, -v));
    }
    const float most = largest(magnitude);
    a.scale[row] = most / 127.0F;
    const float inverse = most > 0 ? 127.0F / most : 0.0F;
    for (std::int64_t i = 0; i < a.width; i += kWidth) {
      // Adding 1.5 · 2²³ rounds to nearest, ties to even, and leaves the integer in the lowest bits.
      const Vec shifted = load(x + i) * inverse + (12582912.0F + 128.0F);
      const auto bytes = __builtin_convertvector(bits<WordVec>(shifted) & 0xff, ByteVec);
      std::memcpy(a.y + row * a.width + i, &bytes, sizeof bytes);
    }
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
#ifdef __AMX_TILE__
#define TRANSFORMER_PRODUCT tiled_product
#else
#define TRANSFORMER_PRODUCT product
#endif
TRANSFORMER_DEFINE_KERNELS(LinearKernels, linear) = {.product = level::product<float>,
                                                     .product_bf16 = level::TRANSFORMER_PRODUCT<Bf16>,
                                                     .product_int8 = level::TRANSFORMER_PRODUCT<std::int8_t>,
                                                     .round_bf16 = level::round_bf16,
                                                     .round_int8 = level::round_int8};

}  // namespace transformer::kernels

#include "transformer/kernels/linear.h"

#include <algorithm>

#include "transformer/kernels/activation.h"
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

/// If the registers hold only a part of a panel's channels at once, the panel is read in strides, which CPUs
/// do not prefetch.
constexpr bool kStrides = kColumns * kWidth < kPanel;

/// kRows rows from `row` on, times one panel. `ahead`: prefetches the next panel in order, as many bytes as
/// it reads of this one.
template <typename T, int kRows>
void tile(const Linear<T>& a, std::int64_t row, std::int64_t panel, bool ahead) {
  const auto groups = a.weight->groups;
  const auto number = a.first_panel + panel;
  const Input<T>* x = a.x + row * a.x_stride;
  const auto* next =
      reinterpret_cast<const char*>(a.weight->values.data() + (number + 1) * groups * kPanel * kGroup<T>);
  for (std::int64_t column = 0; column < kPanel; column += kColumns * kWidth) {
    const T* weight = a.weight->values.data() + (number * groups * kPanel + column) * kGroup<T>;
    Sum<T> sums[kRows][kColumns] = {};
    for (std::int64_t g = 0; g < groups; ++g, weight += kPanel * kGroup<T>) {
      if (ahead) {
        __builtin_prefetch(next);
        next += kColumns * kWidth * 4;
      }
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (int c = 0; c < kColumns; ++c)
          sums[r][c] =
              multiply_add(sums[r][c], x + r * a.x_stride + g * kGroup<T>, weight + c * kWidth * kGroup<T>);
      }
    }
    float* y = a.y + row * a.y_stride + panel * kPanel + column;
    const auto put = [&](auto&& f) {
#pragma GCC unroll 4
      for (int c = 0; c < kColumns; ++c) {
        const Finish<T> finish(*a.weight, number * kPanel + column + c * kWidth);
#pragma GCC unroll 6
        for (int r = 0; r < kRows; ++r)
          store(y + r * a.y_stride + c * kWidth, f(finish(a, sums[r][c], row + r)));
      }
    };
    if (!a.activation)
      put([](Vec x) { return x; });
    else if (*a.activation == nn::Activation::relu)
      put([](Vec x) { return activate(x, nn::Activation::relu); });
    else
      put([&](Vec x) { return activate(x, *a.activation); });
  }
}

template <typename T>
void tile_of(int rows, const Linear<T>& a, std::int64_t row, std::int64_t panel, bool ahead) {
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
        tile_of<T>(static_cast<int>(end - first), a, begin + first, panel,
                   kStrides && i == 0 && panel + 1 < a.panels);
      }
    }
  }
}

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
TRANSFORMER_DEFINE_KERNELS(LinearKernels, linear) = {.product = level::product<float>,
                                                     .product_bf16 = level::product<Bf16>,
                                                     .product_int8 = level::product<std::int8_t>,
                                                     .round_bf16 = level::round_bf16,
                                                     .round_int8 = level::round_int8};

}  // namespace transformer::kernels

// Vectors of floats, as wide as on the level that a kernel is compiled for. Include this in kernel files
// only. All of it is in a namespace of the level, so the linker cannot mix the code of different levels.
#pragma once

#include <cstdint>
#include <cstring>

#include "transformer/kernels/bf16.h"

#ifndef TRANSFORMER_LEVEL
#define TRANSFORMER_LEVEL portable  // for editors and checkers, which compile a file once
#endif
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace transformer::kernels::TRANSFORMER_LEVEL {

#if defined(__AVX512F__)
inline constexpr std::int64_t kWidth = 16;
#elif defined(__AVX2__)
inline constexpr std::int64_t kWidth = 8;
#else
inline constexpr std::int64_t kWidth = 4;
#endif

typedef float Vec __attribute__((vector_size(kWidth * 4)));              // NOLINT(modernize-use-using)
typedef std::int32_t IntVec __attribute__((vector_size(kWidth * 4)));    // NOLINT(modernize-use-using)
typedef std::uint32_t WordVec __attribute__((vector_size(kWidth * 4)));  // NOLINT(modernize-use-using)
typedef std::uint8_t ByteVec __attribute__((vector_size(kWidth)));       // NOLINT(modernize-use-using)
typedef std::uint16_t HalfVec __attribute__((vector_size(kWidth * 2)));  // NOLINT(modernize-use-using)

// Not the standard library's, which is outside the level's namespace.
inline std::int64_t least(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
inline std::int64_t greatest(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}

inline IntVec lane_numbers() {
  IntVec lanes;
  for (std::int64_t i = 0; i < kWidth; ++i) lanes[i] = static_cast<std::int32_t>(i);
  return lanes;
}

inline Vec broadcast(float x) {
  return x - Vec{};
}

inline Vec load(const float* from) {
  Vec x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

inline void store(float* to, Vec x) {
  std::memcpy(to, &x, sizeof x);
}

inline Vec load(const Bf16* from) {
  HalfVec half;
  std::memcpy(&half, from, sizeof half);
  const WordVec word = __builtin_convertvector(half, WordVec) << 16;
  Vec x;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

/// Rounds to nearest, ties to even; NaN stays NaN.
inline void store(Bf16* to, Vec x) {
#ifdef __AVX512BF16__
  const auto half = _mm512_cvtneps_pbh(reinterpret_cast<__m512>(x));
#else
  WordVec word;
  std::memcpy(&word, &x, sizeof word);
  const WordVec rounded = (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  const HalfVec half = __builtin_convertvector(x == x ? rounded : rounded * 0 + 0x7fc0, HalfVec);
#endif
  std::memcpy(to, &half, sizeof half);
}

/// x's first n elements; the others become 0.
inline Vec first_part(Vec x, std::int64_t n) {
  return n == kWidth ? x : lane_numbers() < static_cast<std::int32_t>(n) ? x : Vec{};
}

/// The first n < kWidth elements; the others are 0.
template <typename T>
Vec load_part(const T* from, std::int64_t n) {
  T elements[kWidth] = {};
  std::memcpy(elements, from, static_cast<std::size_t>(n) * sizeof(T));
  return load(elements);
}

template <typename T>
void store_part(T* to, Vec x, std::int64_t n) {
  T elements[kWidth];
  store(elements, x);
  std::memcpy(to, elements, static_cast<std::size_t>(n) * sizeof(T));
}

/// Calls body(column, n) for each whole vector of a row, n = kWidth, then for what is left of it.
template <typename Body>
void for_columns(std::int64_t width, Body&& body) {
  std::int64_t column = 0;
  for (; column + kWidth <= width; column += kWidth) body(column, kWidth);
  if (column < width) body(column, width - column);
}

template <typename T>
Vec read(const T* from, std::int64_t n) {
  return n == kWidth ? load(from) : load_part(from, n);
}

template <typename T>
void write(T* to, Vec x, std::int64_t n) {
  if (n == kWidth)
    store(to, x);
  else
    store_part(to, x, n);
}

inline Vec max(Vec a, Vec b) {
  return a > b ? a : b;
}

inline float sum(Vec x) {
#ifdef __AVX512F__
  return _mm512_reduce_add_ps(reinterpret_cast<__m512>(x));
#else
  float total = 0;
  for (std::int64_t i = 0; i < kWidth; ++i) total += x[i];
  return total;
#endif
}

inline float largest(Vec x) {
#ifdef __AVX512F__
  return _mm512_reduce_max_ps(reinterpret_cast<__m512>(x));
#else
  float most = x[0];
  for (std::int64_t i = 1; i < kWidth; ++i) most = x[i] > most ? x[i] : most;
  return most;
#endif
}

/// eˣ for x <= 0, to 2 units in the last place; 0 below -87 and for -infinity; NaN stays NaN.
inline Vec exp_negative(Vec x) {
  // x = n ln 2 + r, |r| <= ln 2 / 2; eˣ = 2ⁿ eʳ, eʳ by its Taylor polynomial. Adding 1.5 · 2²³ rounds.
  constexpr float kRound = 12582912.0F;
  const Vec bounded = x < -87.0F ? broadcast(-87.0F) : x;
  const Vec shifted = bounded * 1.44269504F + kRound;
  const Vec n = shifted - kRound;
  const Vec r = (bounded - n * 0.693359375F) + n * 2.12194440e-4F;
  Vec p = broadcast(1.0F / 5040);
  p = p * r + 1.0F / 720;
  p = p * r + 1.0F / 120;
  p = p * r + 1.0F / 24;
  p = p * r + 1.0F / 6;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const IntVec exponent = (__builtin_convertvector(n, IntVec) + 127) << 23;
  Vec power;
  std::memcpy(&power, &exponent, sizeof power);
  return x < -87.0F ? Vec{} : p * power;
}

}  // namespace transformer::kernels::TRANSFORMER_LEVEL

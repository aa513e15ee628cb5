// What kernels of GPUs are written in. A kernel is a struct of phases. Its blocks do not depend on each
// other. In a block all threads end a phase before one begins the next. So a kernel runs on a GPU, and also
// on a CPU, thread after thread: the tests compile this text by the CPU's compiler and do that
// (tests/fake_device/fake_gpu.cpp).
//
// A kernel has
//   Arguments          numbers and pointers, given by value
//   kThreads, kPhases  of a block
//   Shared             what the threads of a block share
//   Own                what a thread keeps from phase to phase
//   run<phase>(arguments, block, thread, shared, own)
//
// TRANSFORMER_UNROLL stands before loops over what a thread keeps, which is in registers then.
//
// NVRTC, the compiler that LibTorch brings, has no headers: nothing is included here for GPUs.
#pragma once

#ifdef __CUDACC_RTC__
#define TRANSFORMER_ON_GPU __device__ __forceinline__
#define TRANSFORMER_UNROLL _Pragma("unroll")
#else
#include <cmath>
#include <cstring>
#define TRANSFORMER_ON_GPU inline
#define TRANSFORMER_UNROLL
#endif

namespace transformer::gpu {

#ifndef __CUDACC_RTC__
#ifdef __clang__
using CpuHalf = __fp16;  // it knows _Float16 for few processors
#else
using CpuHalf = _Float16;
#endif
#endif

using Index = long long;
using Word = unsigned int;
using Wide = unsigned long long;

/// Numbers of 16 bits, which are computed with as floats.
struct Bf16 {
  unsigned short bits;
};
struct Fp16 {
  unsigned short bits;
};

TRANSFORMER_ON_GPU Word bits_of(float x) {
#ifdef __CUDACC_RTC__
  return __float_as_uint(x);
#else
  Word bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}

TRANSFORMER_ON_GPU float of_bits(Word bits) {
#ifdef __CUDACC_RTC__
  return __uint_as_float(bits);
#else
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

TRANSFORMER_ON_GPU float to_float(float x) {
  return x;
}
TRANSFORMER_ON_GPU float to_float(Bf16 x) {
  return of_bits(static_cast<Word>(x.bits) << 16);
}
TRANSFORMER_ON_GPU float to_float(Fp16 x) {
#ifdef __CUDACC_RTC__
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
#else
  CpuHalf half;
  std::memcpy(&half, &x, sizeof half);
  return static_cast<float>(half);
#endif
}

/// Rounded to the nearest number, to the even one of two.
TRANSFORMER_ON_GPU void store(float& place, float x) {
  place = x;
}
TRANSFORMER_ON_GPU void store(Bf16& place, float x) {
  const Word bits = bits_of(x);
  const bool no_number = (bits & 0x7fffffffU) > 0x7f800000U;
  place.bits =
      static_cast<unsigned short>(no_number ? 0x7fc0U : (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}
TRANSFORMER_ON_GPU void store(Fp16& place, float x) {
#ifdef __CUDACC_RTC__
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(place.bits) : "f"(x));
#else
  const auto half = static_cast<CpuHalf>(x);
  std::memcpy(&place, &half, sizeof place);
#endif
}

TRANSFORMER_ON_GPU float infinity() {
  return of_bits(0x7f800000U);
}

/// Neighbours that are read and written as one.
template <typename T, int count>
struct alignas(sizeof(T) * count) Pack {
  T values[count];
};

/// How many numbers make the 16 bytes that a thread moves at once.
template <typename T>
constexpr int kPacked = 16 / static_cast<int>(sizeof(T));

#ifdef __CUDACC_RTC__
template <typename Kernel, int phase>
__device__ __forceinline__ void run_from(const typename Kernel::Arguments& arguments,
                                         typename Kernel::Shared& shared, typename Kernel::Own& own) {
  Kernel::template run<phase>(arguments, static_cast<Index>(blockIdx.x), static_cast<int>(threadIdx.x),
                              shared, own);
  if constexpr (phase + 1 < Kernel::kPhases) {
    __syncthreads();
    run_from<Kernel, phase + 1>(arguments, shared, own);
  }
}

#define TRANSFORMER_GPU_KERNEL(name, ...)                               \
  extern "C" __global__ void __launch_bounds__(__VA_ARGS__::kThreads)   \
      name(const __VA_ARGS__::Arguments arguments) {                    \
    __shared__ __VA_ARGS__::Shared shared;                              \
    __VA_ARGS__::Own own;                                               \
    transformer::gpu::run_from<__VA_ARGS__, 0>(arguments, shared, own); \
  }
#else
#ifndef TRANSFORMER_GPU_KERNEL
#define TRANSFORMER_GPU_KERNEL(name, ...)  // the tests make a function of it that runs thread after thread
#endif
#endif

}  // namespace transformer::gpu

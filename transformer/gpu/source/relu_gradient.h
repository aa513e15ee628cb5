// Section 3.3 on GPUs: the gradient in front of a ReLU, and with it that of the bias which was added there.
#pragma once

#include "transformer/gpu/source/phases.h"

namespace transformer::gpu {

/// A block takes some rows and columns: block c · tiles + t has tile t of the rows chunk c.
template <typename T>
struct ReluGradient {
  struct Arguments {
    const T* output;  // (rows, width), ReLU's
    T* gradient;      // (rows, width), of the output; out: of what ReLU was given
    float* sums;      // out: (chunks, width), of the latter
    Index rows, width, tiles;
    int packed;  // whether a thread takes kColumns columns, else one
#ifndef __CUDACC_RTC__
    template <typename Visit>
    void pointers(Visit&& visit) {
      visit(output), visit(gradient), visit(sums);
    }
#endif
  };
  static constexpr int kThreads = 128, kRows = 64, kColumns = 4, kPhases = 1;
  struct Shared {};
  struct Own {};

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& /*shared*/,
                                     Own& /*own*/) {
    const Index chunk = block / a.tiles, place = block % a.tiles * kThreads + thread;
    if (a.packed)
      sum_up<kColumns>(a, chunk, place * kColumns);
    else
      sum_up<1>(a, chunk, place);
  }

 private:
  template <int columns>
  static TRANSFORMER_ON_GPU void sum_up(const Arguments& a, Index chunk, Index column) {
    using Numbers = Pack<T, columns>;
    if (column >= a.width) return;
    const Index end = (chunk + 1) * kRows < a.rows ? (chunk + 1) * kRows : a.rows;
    Pack<float, columns> sums = {};
    for (Index row = chunk * kRows; row < end; ++row) {
      const auto output = *reinterpret_cast<const Numbers*>(a.output + row * a.width + column);
      auto* const place = reinterpret_cast<Numbers*>(a.gradient + row * a.width + column);
      auto gradient = *place;
      TRANSFORMER_UNROLL
      for (int i = 0; i < columns; ++i) {
        const float kept = to_float(output.values[i]) <= 0 ? 0 : to_float(gradient.values[i]);
        sums.values[i] += kept;
        store(gradient.values[i], kept);
      }
      *place = gradient;
    }
    *reinterpret_cast<Pack<float, columns>*>(a.sums + chunk * a.width + column) = sums;
  }
};

TRANSFORMER_GPU_KERNEL(relu_gradient_fp32, ReluGradient<float>)
TRANSFORMER_GPU_KERNEL(relu_gradient_bf16, ReluGradient<Bf16>)
TRANSFORMER_GPU_KERNEL(relu_gradient_fp16, ReluGradient<Fp16>)

}  // namespace transformer::gpu

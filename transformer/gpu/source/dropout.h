// Section 5.4: dropout, and its gradient, which is the same of the gradient. A block takes a row.
#pragma once

#include "transformer/gpu/source/row_mask.h"

namespace transformer::gpu {

template <typename T>
struct Dropout {
  struct Arguments {
    const T* x;  // (blocks, width)
    T* y;        // out; may be x
    RowMask mask;
    Index width;
#ifndef __CUDACC_RTC__
    template <typename Visit>
    void pointers(Visit&& visit) {
      visit(x), visit(y), mask.pointers(visit);
    }
#endif
  };
  static constexpr int kThreads = 128, kPhases = 2;
  struct Shared {
    Wide seed;
  };
  struct Own {};

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& shared,
                                     Own& /*own*/) {
    if constexpr (phase == 0) {
      if (thread == 0) shared.seed = seed_of(a.mask, block);
    } else {
      for (Index i = thread; i < a.width; i += kThreads)
        store(a.y[block * a.width + i],
              to_float(a.x[block * a.width + i]) * factor(a.mask, shared.seed, static_cast<Word>(i)));
    }
  }
};

TRANSFORMER_GPU_KERNEL(dropout_fp32, Dropout<float>)
TRANSFORMER_GPU_KERNEL(dropout_bf16, Dropout<Bf16>)
TRANSFORMER_GPU_KERNEL(dropout_fp16, Dropout<Fp16>)

}  // namespace transformer::gpu

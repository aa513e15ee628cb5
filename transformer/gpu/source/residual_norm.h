// LayerNorm(x + Dropout(z)), sections 3.1 and 5.4, and its gradients.
#pragma once

#include "transformer/gpu/source/row_mask.h"

namespace transformer::gpu {

/// A sum over a block's threads in two steps, each a phase: sums of a few threads, then everybody's of those.
template <int threads>
struct BlockSum {
  static constexpr int kGroups = 16, kEach = threads / kGroups;
  float threads_[threads], groups_[kGroups];

  TRANSFORMER_ON_GPU void join(int thread) {
    if (thread >= kGroups) return;
    float sum = 0;
    for (int i = 0; i < kEach; ++i) sum += threads_[thread * kEach + i];
    groups_[thread] = sum;
  }
  TRANSFORMER_ON_GPU float total() const {
    float sum = 0;
    for (int i = 0; i < kGroups; ++i) sum += groups_[i];
    return sum;
  }
};

/// A block takes a row. Statistics are of the sum as it is stored, in two passes.
template <typename T>
struct ResidualNorm {
  struct Arguments {
    const T *x, *z;              // (blocks, width)
    const float *weight, *bias;  // (width)
    T *sum, *y;                  // out: (blocks, width)
    float *mean, *inverse;       // out: (blocks), of the sum: mean and 1 / standard deviation
    RowMask mask;                // of z
    Index width;
    float epsilon;
#ifndef __CUDACC_RTC__
    template <typename Visit>
    void pointers(Visit&& visit) {
      visit(x), visit(z), visit(weight), visit(bias), visit(sum), visit(y), visit(mean), visit(inverse);
      mask.pointers(visit);
    }
#endif
  };
  static constexpr int kThreads = 128, kPhases = 6;
  struct Shared {
    Wide seed;
    BlockSum<kThreads> sum;
  };
  struct Own {
    float mean;
  };

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& shared, Own& own) {
    const Index begin = block * a.width;
    if constexpr (phase == 0) {
      if (thread == 0) shared.seed = seed_of(a.mask, block);
    } else if constexpr (phase == 1) {
      float total = 0;
      for (Index i = thread; i < a.width; i += kThreads) {
        const float dropped = to_float(a.z[begin + i]) * factor(a.mask, shared.seed, static_cast<Word>(i));
        store(a.sum[begin + i], to_float(a.x[begin + i]) + dropped);
        total += to_float(a.sum[begin + i]);
      }
      shared.sum.threads_[thread] = total;
    } else if constexpr (phase == 2 || phase == 4) {
      shared.sum.join(thread);
    } else if constexpr (phase == 3) {
      own.mean = shared.sum.total() / static_cast<float>(a.width);
      float squares = 0;
      for (Index i = thread; i < a.width; i += kThreads) {
        const float distance = to_float(a.sum[begin + i]) - own.mean;
        squares += distance * distance;
      }
      shared.sum.threads_[thread] = squares;
    } else {
      const float inverse = 1 / sqrtf(shared.sum.total() / static_cast<float>(a.width) + a.epsilon);
      for (Index i = thread; i < a.width; i += kThreads)
        store(a.y[begin + i], (to_float(a.sum[begin + i]) - own.mean) * inverse * a.weight[i] + a.bias[i]);
      if (thread != 0) return;
      a.mean[block] = own.mean;
      a.inverse[block] = inverse;
    }
  }
};

/// The gradients of x and z. A block takes a row.
template <typename T>
struct ResidualNormBackward {
  struct Arguments {
    const T *y_gradient, *sum;             // (blocks, width)
    const float *mean, *inverse, *weight;  // (blocks), (blocks), (width)
    T* x_gradient;                         // out: (blocks, width)
    T* z_gradient;                         // out; null where nothing is dropped: it is x_gradient
    RowMask mask;
    Index width;
#ifndef __CUDACC_RTC__
    template <typename Visit>
    void pointers(Visit&& visit) {
      visit(y_gradient), visit(sum), visit(mean), visit(inverse), visit(weight), visit(x_gradient),
          visit(z_gradient);
      mask.pointers(visit);
    }
#endif
  };
  static constexpr int kThreads = 128, kPhases = 3;
  struct Shared {
    Wide seed;
    BlockSum<kThreads> plain, scaled;
  };
  struct Own {
    float mean, inverse;
  };

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& shared, Own& own) {
    const Index begin = block * a.width;
    if constexpr (phase == 0) {
      own = {a.mean[block], a.inverse[block]};
      if (thread == 0) shared.seed = seed_of(a.mask, block);
      float plain = 0, scaled = 0;
      for (Index i = thread; i < a.width; i += kThreads) {
        const float gradient = to_float(a.y_gradient[begin + i]) * a.weight[i];
        plain += gradient;
        scaled += gradient * (to_float(a.sum[begin + i]) - own.mean) * own.inverse;
      }
      shared.plain.threads_[thread] = plain;
      shared.scaled.threads_[thread] = scaled;
    } else if constexpr (phase == 1) {
      shared.plain.join(thread);
      shared.scaled.join(thread);
    } else {
      const auto width = static_cast<float>(a.width);
      const float plain = shared.plain.total() / width, scaled = shared.scaled.total() / width;
      for (Index i = thread; i < a.width; i += kThreads) {
        const float normed = (to_float(a.sum[begin + i]) - own.mean) * own.inverse;
        const float gradient =
            own.inverse * (to_float(a.y_gradient[begin + i]) * a.weight[i] - plain - normed * scaled);
        store(a.x_gradient[begin + i], gradient);
        if (a.z_gradient != nullptr)
          store(a.z_gradient[begin + i], gradient * factor(a.mask, shared.seed, static_cast<Word>(i)));
      }
    }
  }
};

/// The gradients of weight and bias, of some rows and columns each block: tile t of rows chunk c is block c ·
/// tiles + t.
template <typename T>
struct NormWeightGradients {
  struct Arguments {
    const T *y_gradient, *sum;    // (rows, width)
    const float *mean, *inverse;  // (rows)
    float* gradients;             // out: (chunks, 2, width)
    Index rows, width, tiles;
#ifndef __CUDACC_RTC__
    template <typename Visit>
    void pointers(Visit&& visit) {
      visit(y_gradient), visit(sum), visit(mean), visit(inverse), visit(gradients);
    }
#endif
  };
  static constexpr int kThreads = 128, kRows = 128, kPhases = 1;
  struct Shared {};
  struct Own {};

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& /*shared*/,
                                     Own& /*own*/) {
    const Index chunk = block / a.tiles, column = block % a.tiles * kThreads + thread;
    if (column >= a.width) return;
    float weight = 0, bias = 0;
    const Index end = (chunk + 1) * kRows < a.rows ? (chunk + 1) * kRows : a.rows;
    for (Index row = chunk * kRows; row < end; ++row) {
      const float gradient = to_float(a.y_gradient[row * a.width + column]);
      bias += gradient;
      weight += gradient * (to_float(a.sum[row * a.width + column]) - a.mean[row]) * a.inverse[row];
    }
    a.gradients[2 * chunk * a.width + column] = weight;
    a.gradients[(2 * chunk + 1) * a.width + column] = bias;
  }
};

TRANSFORMER_GPU_KERNEL(residual_norm_fp32, ResidualNorm<float>)
TRANSFORMER_GPU_KERNEL(residual_norm_bf16, ResidualNorm<Bf16>)
TRANSFORMER_GPU_KERNEL(residual_norm_fp16, ResidualNorm<Fp16>)
TRANSFORMER_GPU_KERNEL(residual_norm_backward_fp32, ResidualNormBackward<float>)
TRANSFORMER_GPU_KERNEL(residual_norm_backward_bf16, ResidualNormBackward<Bf16>)
TRANSFORMER_GPU_KERNEL(residual_norm_backward_fp16, ResidualNormBackward<Fp16>)
TRANSFORMER_GPU_KERNEL(residual_norm_weights_fp32, NormWeightGradients<float>)
TRANSFORMER_GPU_KERNEL(residual_norm_weights_bf16, NormWeightGradients<Bf16>)
TRANSFORMER_GPU_KERNEL(residual_norm_weights_fp16, NormWeightGradients<Fp16>)

}  // namespace transformer::gpu

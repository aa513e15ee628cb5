// Section 5.4: a softmax over the vocabulary, the loss that it gives, and in the place of the logits its
// gradient. A block takes a row of logits. It reads the row twice and writes it once.
#pragma once

#include "transformer/gpu/source/phases.h"

namespace transformer::gpu {

/// The same as exp and the label's share in ops/label_smoothing.cpp, whose mean logit is not computed here.
template <typename T>
struct CrossEntropy {
  struct Arguments {
    T* logits;            // (blocks, width), one row after another
    const Index* labels;  // (blocks); of a negative one all that comes out is 0
    float* nll;           // out: (blocks), - log p[label]
    float* logsumexp;     // out: (blocks)
    Index width;
    float kept;    // 1 - ε, which the gradient subtracts at the label
    int gradient;  // whether the logits become p - kept · [label]
    int packed;    // whether all rows begin at multiples of 16 bytes and consist of such
#ifndef __CUDACC_RTC__
    template <typename Visit>
    void pointers(Visit&& visit) {
      visit(logits), visit(labels), visit(nll), visit(logsumexp);
    }
#endif
  };
  static constexpr int kThreads = 512, kGroups = 32, kPhases = 4;

  /// Σ exp(x - maximum) of some logits.
  struct Sum {
    float maximum, sum;
  };
  struct Shared {
    Sum threads[kThreads], groups[kGroups];
  };
  struct Own {
    float logsumexp;
  };

  template <int phase>
  static TRANSFORMER_ON_GPU void run(const Arguments& a, Index block, int thread, Shared& shared, Own& own) {
    T* const row = a.logits + block * a.width;
    if constexpr (phase == 0) {
      shared.threads[thread] = a.packed ? sum_up<kPacked<T>>(a, row, thread) : sum_up<1>(a, row, thread);
    } else if constexpr (phase == 1) {
      constexpr int each = kThreads / kGroups;
      if (thread < kGroups) shared.groups[thread] = joined<each>(shared.threads + thread * each);
    } else if constexpr (phase == 2) {
      const Sum all = joined<kGroups>(shared.groups);
      own.logsumexp = all.maximum + logf(all.sum);
      if (thread != 0) return;
      const Index label = a.labels[block];
      a.logsumexp[block] = label < 0 ? 0 : own.logsumexp;
      a.nll[block] = label < 0 ? 0 : own.logsumexp - to_float(row[label]);
    } else if (a.gradient) {
      const Index label = a.labels[block];
      if (label < 0)
        for (Index i = thread; i < a.width; i += kThreads) store(row[i], 0.0F);
      else if (a.packed)
        differentiate<kPacked<T>>(a, row, thread, label, own.logsumexp);
      else
        differentiate<1>(a, row, thread, label, own.logsumexp);
    }
  }

 private:
  /// Their maximum, or 0 where all logits are -∞: the difference to it is a number or -∞.
  static TRANSFORMER_ON_GPU float above(float maximum) {
    return maximum == -infinity() ? 0.0F : maximum;
  }

  template <int count>
  static TRANSFORMER_ON_GPU Sum sum_up(const Arguments& a, const T* row, int thread) {
    Sum sum{-infinity(), 0};
    const auto* packs = reinterpret_cast<const Pack<T, count>*>(row);
    for (Index i = thread; i < a.width / count; i += kThreads) {
      const Pack<T, count> pack = packs[i];
      float maximum = sum.maximum;
      for (int j = 0; j < count; ++j) maximum = fmaxf(maximum, to_float(pack.values[j]));
      if (maximum > sum.maximum) sum = {maximum, sum.sum * expf(sum.maximum - maximum)};
      for (int j = 0; j < count; ++j) sum.sum += expf(to_float(pack.values[j]) - above(sum.maximum));
    }
    return sum;
  }

  template <int count>
  static TRANSFORMER_ON_GPU Sum joined(const Sum* parts) {
    Sum all{-infinity(), 0};
    for (int i = 0; i < count; ++i) all.maximum = fmaxf(all.maximum, parts[i].maximum);
    for (int i = 0; i < count; ++i) all.sum += parts[i].sum * expf(parts[i].maximum - above(all.maximum));
    return all;
  }

  template <int count>
  static TRANSFORMER_ON_GPU void differentiate(const Arguments& a, T* row, int thread, Index label,
                                               float logsumexp) {
    auto* packs = reinterpret_cast<Pack<T, count>*>(row);
    for (Index i = thread; i < a.width / count; i += kThreads) {
      Pack<T, count> pack = packs[i];
      for (int j = 0; j < count; ++j) {
        const float p = expf(to_float(pack.values[j]) - logsumexp);
        store(pack.values[j], i * count + j == label ? p - a.kept : p);
      }
      packs[i] = pack;
    }
  }
};

TRANSFORMER_GPU_KERNEL(cross_entropy_fp32, CrossEntropy<float>)
TRANSFORMER_GPU_KERNEL(cross_entropy_bf16, CrossEntropy<Bf16>)
TRANSFORMER_GPU_KERNEL(cross_entropy_fp16, CrossEntropy<Fp16>)

}  // namespace transformer::gpu

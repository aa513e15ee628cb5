// Section 5.4: label-smoothed cross-entropy and its gradient, in the place of the logits.
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Rows begin … end - 1 of logits (rows, width). With p = softmax(logits), the loss of a row is
/// - (1 - epsilon) log p[label] - epsilon / width · Σ log p. Sums are added to.
template <typename T>
struct CrossEntropy {
  std::int64_t begin = 0, end = 0, width = 0;
  const std::int64_t* labels = nullptr;  ///< (rows)
  float epsilon = 0;
  bool gradient = false;  ///< whether the logits are replaced by the loss's gradient with respect to them
  T* logits = nullptr;
  double* smoothed = nullptr;
  double* nll = nullptr;  ///< - log p[label]
};

struct CrossEntropyKernels {
  void (*run)(const CrossEntropy<float>&);
  void (*run_bf16)(const CrossEntropy<Bf16>&);
};
TRANSFORMER_KERNELS(CrossEntropyKernels, cross_entropy)

}  // namespace transformer::kernels

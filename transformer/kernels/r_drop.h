// R-Drop (Liang et al. 2021): the loss of two passes that are to agree and its gradients, in the place of the
// logits. ops/r_drop.h has the formula.
#pragma once

#include "transformer/kernels/bf16.h"
#include "transformer/kernels/isa.h"

namespace transformer::kernels {

/// Rows begin … end - 1 of both passes' logits (rows, width). Let p and q be their softmaxes and L the
/// label-smoothed loss (cross_entropy.h). Then the loss of a row is
///
///   ½ (L(p) + L(q)) + alpha/4 (KL(p ‖ q) + KL(q ‖ p)).
///
/// Sums are added to.
template <typename T>
struct RDrop {
  std::int64_t begin = 0, end = 0, width = 0;
  const std::int64_t* labels = nullptr;  ///< (rows)
  float epsilon = 0, alpha = 0;
  bool gradient = false;  ///< whether the logits are replaced by the loss's gradients with respect to them
  T* first = nullptr;
  T* second = nullptr;
  double* smoothed = nullptr;
  double* nll = nullptr;  ///< - ½ (log p[label] + log q[label])
};

struct RDropKernels {
  void (*run)(const RDrop<float>&);
  void (*run_bf16)(const RDrop<Bf16>&);
};
TRANSFORMER_KERNELS(RDropKernels, r_drop)

}  // namespace transformer::kernels

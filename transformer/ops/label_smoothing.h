// Section 5.4: label smoothing. The smoothed target of a label y over V classes is
//
//   q(k) = (1 - ε) [k = y] + ε / V,
//
// and the loss is the cross-entropy with q:
//
//   (1 - ε) · (-log p(y)) + ε · mean_k(-log p(k)).
#pragma once

#include "transformer/ops/token_loss.h"

namespace transformer::ops {

/// By the definition. logits: (N, V), labels: (N)
TokenLoss label_smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double epsilon);

/// The output projection and the loss in one. It equals label_smoothed_loss(states · weightᵀ + bias, labels,
/// ε). But it holds logits for only projected_rows_at_once() tokens at a time, and their gradient takes their
/// place. With states in bf16 or fp16 the products are of that type. Sums over tokens are fp64.
///
/// states: (N, D), weight: (V, D), labels: (M), bias: (V) or undefined. States behind the first M have no
/// loss, and their gradient is zero. So it is with negative labels, but these only where the CPU's kernels do
/// not compute.
TokenLoss projected_loss(const torch::Tensor& states, const torch::Tensor& weight,
                         const torch::Tensor& labels, double epsilon, const torch::Tensor& bias = {});

/// Rows of logits that projected losses hold at a time. On the CPU they are few, to stay in the cache;
/// elsewhere they are many, to keep the device busy, as far as memory goes: 3.4 GB for any vocabulary.
std::int64_t projected_rows_at_once(std::int64_t vocabulary, bool on_cpu);

}  // namespace transformer::ops

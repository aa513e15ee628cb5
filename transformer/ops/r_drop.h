// R-Drop (Liang et al. 2021): a batch passes through the model twice, under two dropout masks, and the two
// predictions are to agree. Let p and q be the passes' distributions over the next token and L the
// label-smoothed loss (5.4). Then each token's loss is
//
//     ½ (L(p) + L(q)) + α/4 (KL(p ‖ q) + KL(q ‖ p)).
//
// It is half of the article's loss, so that it has the size of L. The α are the article's, which has 5 for
// translation.
#pragma once

#include "transformer/ops/token_loss.h"

namespace transformer::ops {

/// By the definition; nll is the mean of both passes'. first, second: (N, V) logits, labels: (N)
TokenLoss r_drop_loss(const torch::Tensor& first, const torch::Tensor& second, const torch::Tensor& labels,
                      double epsilon, double alpha);

/// The output projection and the loss in one. It equals r_drop_loss of states · weightᵀ + bias, but it holds
/// logits for only some tokens at a time, as projected_loss does (label_smoothing.h). That also explains more
/// states than labels. With states in bf16 or fp16 the products are of that type. Sums over tokens are fp64.
///
/// first, second: (N, D), weight: (V, D), labels: (N), bias: (V) or undefined
TokenLoss projected_r_drop_loss(const torch::Tensor& first, const torch::Tensor& second,
                                const torch::Tensor& weight, const torch::Tensor& labels, double epsilon,
                                double alpha, const torch::Tensor& bias = {});

}  // namespace transformer::ops

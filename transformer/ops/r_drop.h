// R-Drop (Liang et al. 2021): a batch passes through the model twice, under two dropout masks, and what the
// two passes predict is to agree. Of two passes with distributions p and q over the next token, each token's
// loss is
//
//     ½ (L(p) + L(q)) + α/4 (KL(p ‖ q) + KL(q ‖ p)),
//
// L being the label-smoothed loss (5.4). It is half of the article's loss, so that it is of the size of L,
// and the α are the article's (5 for translation there).
#pragma once

#include "transformer/ops/token_loss.h"

namespace transformer::ops {

/// By the definition; nll is the mean of both passes'. first, second: (N, V) logits, labels: (N)
TokenLoss r_drop_loss(const torch::Tensor& first, const torch::Tensor& second, const torch::Tensor& labels,
                      double epsilon, double alpha);

/// The output projection and the loss in one: equal to r_drop_loss of states · weightᵀ + bias, but logits
/// exist for some tokens at a time only, as in projected_loss (label_smoothing.h), where more states
/// than labels are explained, too. With states in bf16 or fp16 the products are of that type; sums over
/// tokens are fp64. first, second: (N, D), weight: (V, D), labels: (N), bias: (V) or undefined
TokenLoss projected_r_drop_loss(const torch::Tensor& first, const torch::Tensor& second,
                                const torch::Tensor& weight, const torch::Tensor& labels, double epsilon,
                                double alpha, const torch::Tensor& bias = {});

}  // namespace transformer::ops

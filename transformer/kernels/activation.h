// Section 3.3: what stands between the two layers of a feed-forward network. For kernel files only, as vec.h.
#pragma once

#include "transformer/kernels/vec.h"
#include "transformer/nn/types.h"

namespace transformer::kernels::TRANSFORMER_LEVEL {

/// 1 / (1 + e^-x)
inline Vec sigmoid(Vec x) {
  const Vec e = exp_negative(x > 0 ? -x : x);
  return (x > 0 ? broadcast(1.0F) : e) / (1.0F + e);
}

/// gelu_tanh(x) = x σ of this, since (1 + tanh(y)) / 2 = σ(2y).
inline Vec gelu_tanh_argument(Vec x) {
  return x * (1.0F + 0.044715F * x * x) * 1.59576912F;  // 2 √(2/π)
}

/// Φ(x), the normal distribution, to 1e-7: Abramowitz and Stegun 7.1.26, erfc(z) = p(1 / (1 + cz)) e^-z².
inline Vec normal_distribution(Vec x) {
  const Vec z = (x > 0 ? x : -x) * 0.70710678F;
  const Vec t = 1.0F / (1.0F + z * 0.3275911F);
  Vec p = broadcast(1.061405429F);
  p = p * t - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const Vec tail = p * t * exp_negative(-z * z) * 0.5F;  // 1 - Φ(|x|)
  return x > 0 ? 1.0F - tail : tail;
}

inline Vec activate(Vec x, nn::Activation activation) {
  if (activation == nn::Activation::relu) return x < 0.0F ? Vec{} : x;  // NaN stays NaN
  if (activation == nn::Activation::gelu) return x * normal_distribution(x);
  if (activation == nn::Activation::gelu_tanh) return x * sigmoid(gelu_tanh_argument(x));
  if (activation == nn::Activation::swish) return x * sigmoid(x);
  nn::no_such_choice();  // its row says in_engine, and there is no loop
}

}  // namespace transformer::kernels::TRANSFORMER_LEVEL

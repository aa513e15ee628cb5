#include "transformer/kernels/r_drop.h"

#include "transformer/kernels/logits.h"

namespace transformer::kernels {
namespace TRANSFORMER_LEVEL {
namespace {

/// One pass's row of logits.
template <typename T>
struct PassRow {
  T* logits;
  RowSums sums;

  PassRow(T* row, std::int64_t width) : logits(row), sums(sums_of(row, width)) {}

  Vec log_probabilities(std::int64_t i, std::int64_t n) const {
    return read_logits(logits + i, n) - sums.logsumexp;
  }
  float log_probability(std::int64_t i) const { return value(logits, i) - sums.logsumexp; }
};

/// Adds KL(p ‖ q) and KL(q ‖ p) to the two vectors.
template <typename T>
void add_divergences(const PassRow<T>& p, const PassRow<T>& q, std::int64_t width, Vec& of_p, Vec& of_q) {
  for_columns(width, [&](std::int64_t i, std::int64_t n) {
    const Vec log_p = p.log_probabilities(i, n), log_q = q.log_probabilities(i, n);
    const Vec ratio = first_part(log_p - log_q, n);
    of_p += exp_negative(log_p) * ratio;
    of_q -= exp_negative(log_q) * ratio;
  });
}

/// The gradient with respect to the logits of the pass with probabilities p, given ln p - ln q. Its terms:
/// * L(p): p less the smoothed target.
/// * KL(p ‖ q): p (ln p - ln q - KL(p ‖ q)).
/// * KL(q ‖ p): p - q.
inline Vec gradient_of(Vec p, Vec q, Vec ratio, float divergence, float alpha, float uniform) {
  return p * (0.5F + alpha / 4 * (1.0F + ratio - divergence)) - q * (alpha / 4) - uniform;
}

template <typename T>
void run(const RDrop<T>& a) {
  const auto width = static_cast<float>(a.width);
  const float uniform = 0.5F * a.epsilon / width;
  for (auto r = a.begin; r < a.end; ++r) {
    const PassRow<T> p(a.first + r * a.width, a.width), q(a.second + r * a.width, a.width);
    const auto label = a.labels[r];
    const float nll = -0.5F * (p.log_probability(label) + q.log_probability(label));
    const float mean = 0.5F * (p.sums.logsumexp + q.sums.logsumexp - (p.sums.total + q.sums.total) / width);
    Vec of_p{}, of_q{};
    add_divergences(p, q, a.width, of_p, of_q);
    const float from_p = sum(of_p), from_q = sum(of_q);
    *a.nll += nll;
    *a.smoothed += (1.0F - a.epsilon) * nll + a.epsilon * mean + a.alpha / 4 * (from_p + from_q);
    if (!a.gradient) continue;
    const auto gradients = [&](std::int64_t i, std::int64_t n, Vec& first, Vec& second) {
      const Vec log_p = p.log_probabilities(i, n), log_q = q.log_probabilities(i, n);
      const Vec of_first = exp_negative(log_p), of_second = exp_negative(log_q);
      first = gradient_of(of_first, of_second, log_p - log_q, from_p, a.alpha, uniform);
      second = gradient_of(of_second, of_first, log_q - log_p, from_q, a.alpha, uniform);
    };
    // The label's own element is rounded once, with what the target takes from it.
    Vec first, second;
    gradients(label, 1, first, second);
    const float own[] = {first[0] - 0.5F * (1.0F - a.epsilon), second[0] - 0.5F * (1.0F - a.epsilon)};
    for_columns(a.width, [&](std::int64_t i, std::int64_t n) {
      gradients(i, n, first, second);
      write(p.logits + i, first, n);
      write(q.logits + i, second, n);
    });
    store_part(p.logits + label, broadcast(own[0]), 1);
    store_part(q.logits + label, broadcast(own[1]), 1);
  }
}

}  // namespace
}  // namespace TRANSFORMER_LEVEL

namespace level = TRANSFORMER_LEVEL;
TRANSFORMER_DEFINE_KERNELS(RDropKernels, r_drop) = {level::run<float>, level::run<Bf16>};

}  // namespace transformer::kernels

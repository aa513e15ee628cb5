#include "transformer/ops/r_drop.h"

#include <algorithm>

#include "transformer/ops/if_defined.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/saved_gradients.h"
#include "transformer/ops/working_weights.h"
#include "transformer/runtime/product.h"

namespace transformer::ops {
namespace {

/// What is known of one pass's predictions for some tokens.
struct Pass {
  torch::Tensor log_probabilities;  ///< (n, V), fp32 or fp64
  torch::Tensor probabilities;

  explicit Pass(const torch::Tensor& logits)
      : log_probabilities(
            torch::log_softmax(logits, 1, torch::promote_types(logits.scalar_type(), torch::kFloat))),
        probabilities(log_probabilities.exp()) {}
};

/// The loss's gradient with respect to the logits of `pass`, given ln p - ln q of both, Σ_k p_k (ln p_k - ln
/// q_k) and the other pass. of KL(p ‖ q): p_k (ln p_k - ln q_k - KL(p ‖ q)); of KL(q ‖ p): p_k - q_k.
torch::Tensor gradient_of(const Pass& pass, const Pass& other, const torch::Tensor& labels, double epsilon,
                          double alpha) {
  const auto& p = pass.probabilities;
  auto ratio = pass.log_probabilities - other.log_probabilities;
  ratio -= (p * ratio).sum(1, /*keepdim=*/true);
  auto delta = p * (ratio * (alpha / 4) + (0.5 + alpha / 4)) - other.probabilities * (alpha / 4);
  delta -= 0.5 * epsilon / static_cast<double>(p.size(1));
  const auto column = labels.unsqueeze(1);
  return delta.scatter_add_(1, column, torch::full_like(column, -0.5 * (1 - epsilon), delta.options()));
}

class ProjectedRDropLoss : public OnceDifferentiable<ProjectedRDropLoss> {
 public:
  static constexpr const char* kName = "ops::projected_r_drop_loss";

  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const torch::Tensor& first, const torch::Tensor& second,
                                                const torch::Tensor& weight,
                                                const std::optional<torch::Tensor>& bias,
                                                const torch::Tensor& labels, double epsilon, double alpha,
                                                bool gradient) {
    const auto dtype = first.scalar_type();
    const auto w = working(weight, dtype);
    auto smoothed = torch::zeros({}, first.options().dtype(torch::kDouble)),
         nll = torch::zeros_like(smoothed);
    torch::Tensor gradients[4];  // of first, second, weight and bias
    if (gradient) {
      const auto wide = first.options().dtype(torch::promote_types(dtype, torch::kFloat));
      gradients[0] = torch::empty_like(first, wide);
      gradients[1] = torch::empty_like(second, wide);
      gradients[2] = torch::zeros_like(weight);
      if (bias) gradients[3] = torch::zeros_like(*bias);
    }
    const auto chunk = projected_rows_at_once(weight.size(0), first.is_cpu());
    for (std::int64_t begin = 0; begin < first.size(0); begin += chunk) {
      const auto end = std::min(begin + chunk, first.size(0));
      const torch::Tensor rows[] = {first.slice(0, begin, end), second.slice(0, begin, end)};
      const auto own_labels = labels.slice(0, begin, end);
      const auto pass_of = [&](const torch::Tensor& states) {
        auto logits = runtime::product(states, w.t());
        if (bias) logits.add_(*bias);
        return Pass(logits);
      };
      const Pass passes[] = {pass_of(rows[0]), pass_of(rows[1])};
      add_loss(passes[0], passes[1], own_labels, epsilon, alpha, smoothed, nll);
      for (std::size_t i = 0; gradient && i < 2; ++i) {
        const auto exact = gradient_of(passes[i], passes[1 - i], own_labels, epsilon, alpha);
        const auto delta = exact.to(dtype);
        auto own = gradients[i].slice(0, begin, end);
        runtime::product_into(own, delta, w);
        runtime::add_product_over_rows(gradients[2], delta, rows[i]);
        if (bias) gradients[3] += exact.sum(0);
      }
    }
    if (gradient)
      save_gradients(context, {gradients[0], gradients[1], gradients[2], gradients[3]}, /*states=*/2, dtype);
    context->mark_non_differentiable({nll});
    return {smoothed, nll};
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    return saved_gradients(context, received[0], 8);
  }

 private:
  static void add_loss(const Pass& a, const Pass& b, const torch::Tensor& labels, double epsilon,
                       double alpha, torch::Tensor& smoothed, torch::Tensor& nll) {
    const auto both = a.log_probabilities + b.log_probabilities;
    const auto chosen = -0.5 * both.gather(1, labels.unsqueeze(1)).sum(torch::kDouble);
    nll += chosen;
    smoothed += chosen * (1.0 - epsilon);
    if (epsilon > 0) smoothed -= 0.5 * epsilon * both.mean(1).sum(torch::kDouble);
    // KL(p ‖ q) + KL(q ‖ p)
    const auto divergence = (a.probabilities - b.probabilities) * (a.log_probabilities - b.log_probabilities);
    smoothed += alpha / 4 * divergence.sum(1).sum(torch::kDouble);
  }
};

}  // namespace

TokenLoss r_drop_loss(const torch::Tensor& first, const torch::Tensor& second, const torch::Tensor& labels,
                      double epsilon, double alpha) {
  const auto a = label_smoothed_loss(first, labels, epsilon),
             b = label_smoothed_loss(second, labels, epsilon);
  const auto p = torch::log_softmax(first, -1), q = torch::log_softmax(second, -1);
  const auto divergence = ((p.exp() - q.exp()) * (p - q)).sum();  // KL(p ‖ q) + KL(q ‖ p)
  return {(a.smoothed + b.smoothed) / 2 + alpha / 4 * divergence, (a.nll + b.nll) / 2};
}

TokenLoss projected_r_drop_loss(const torch::Tensor& first, const torch::Tensor& second,
                                const torch::Tensor& weight, const torch::Tensor& labels, double epsilon,
                                double alpha, const torch::Tensor& bias) {
  const auto given = if_defined(bias);
  const bool gradient =
      torch::GradMode::is_enabled() && (first.requires_grad() || second.requires_grad() ||
                                        weight.requires_grad() || (given && given->requires_grad()));
  const auto sums = ProjectedRDropLoss::apply(first, second, weight, given, labels, epsilon, alpha, gradient);
  return {sums[0], sums[1]};
}

}  // namespace transformer::ops

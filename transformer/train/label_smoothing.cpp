#include "transformer/train/label_smoothing.h"

#include <ATen/autocast_mode.h>
#include <torch/autograd.h>

#include <algorithm>

namespace transformer::train {
namespace {

constexpr std::int64_t kChunk = 512;  // rows of logits that exist at a time

/// Loss sums of one chunk, and, in place of the logits, the loss's gradient with respect to them.
void chunk_loss(torch::Tensor& logits, const torch::Tensor& labels, double epsilon, bool gradient,
                torch::Tensor& smoothed, torch::Tensor& nll) {
  const auto normalizer = logits.logsumexp(1);                           // (n)
  const auto chosen = logits.gather(1, labels.unsqueeze(1)).squeeze(1);  // (n)
  const auto chunk_nll = (normalizer - chosen).sum();
  nll += chunk_nll;
  smoothed += chunk_nll * (1.0 - epsilon);
  if (epsilon > 0.0) smoothed += (normalizer - logits.mean(1)).sum() * epsilon;
  if (!gradient) return;
  logits.sub_(normalizer.unsqueeze(1)).exp_();
  if (epsilon > 0.0) logits.sub_(epsilon / static_cast<double>(logits.size(1)));
  logits.scatter_add_(1, labels.unsqueeze(1), torch::full_like(chosen, -(1.0 - epsilon)).unsqueeze(1));
}

class ProjectedLoss : public torch::autograd::Function<ProjectedLoss> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const torch::Tensor& states, const torch::Tensor& weight,
                                                const torch::Tensor& labels, double epsilon, bool gradient) {
    const auto device = states.device().type();
    const bool autocast = at::autocast::is_autocast_enabled(device);
    const auto dtype = autocast ? at::autocast::get_autocast_dtype(device) : weight.scalar_type();
    const auto statistics = dtype == torch::kDouble ? torch::kDouble : torch::kFloat;
    const auto x = states.to(dtype), w = weight.to(dtype);
    auto smoothed = torch::zeros({}, states.options().dtype(statistics)), nll = torch::zeros_like(smoothed);
    torch::Tensor x_gradient, w_gradient;
    if (gradient) {
      x_gradient = torch::empty_like(x);
      w_gradient = torch::zeros_like(weight);
    }
    for (std::int64_t begin = 0; begin < x.size(0); begin += kChunk) {
      const auto end = std::min(begin + kChunk, x.size(0));
      const auto rows = x.slice(0, begin, end);
      auto logits = torch::mm(rows, w.t()).to(statistics);  // (n, V)
      chunk_loss(logits, labels.slice(0, begin, end), epsilon, gradient, smoothed, nll);
      if (!gradient) continue;
      const auto delta = logits.to(dtype);
      x_gradient.slice(0, begin, end) = torch::mm(delta, w);
      if (dtype == weight.scalar_type())
        w_gradient.addmm_(delta.t(), rows);
      else
        w_gradient.add_(torch::mm(delta.t(), rows));
    }
    if (gradient) context->save_for_backward({x_gradient.to(states.scalar_type()), w_gradient});
    context->mark_non_differentiable({nll});
    return {smoothed, nll};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto& scale = gradients[0];
    return {saved[0] * scale.to(saved[0].scalar_type()), saved[1] * scale, {}, {}, {}};
  }
};

}  // namespace

TokenLoss label_smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double epsilon) {
  const auto log_probabilities = torch::log_softmax(logits, -1);
  const auto nll = -log_probabilities.gather(1, labels.unsqueeze(1)).sum();
  const auto uniform = -log_probabilities.mean(1).sum();
  return {nll * (1.0 - epsilon) + uniform * epsilon, nll.detach()};
}

TokenLoss projected_loss(const torch::Tensor& states, const torch::Tensor& weight,
                         const torch::Tensor& labels, double epsilon) {
  const bool gradient = torch::GradMode::is_enabled() && (states.requires_grad() || weight.requires_grad());
  const auto sums = ProjectedLoss::apply(states, weight, labels, epsilon, gradient);
  return {sums[0], sums[1]};
}

}  // namespace transformer::train

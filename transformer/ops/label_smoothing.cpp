#include "transformer/ops/label_smoothing.h"

#include <algorithm>

#include "transformer/kernels/cross_entropy.h"
#include "transformer/ops/bias.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/if_defined.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/row_losses.h"
#include "transformer/ops/saved_gradients.h"
#include "transformer/ops/softmax_loss.h"
#include "transformer/ops/working_weights.h"
#include "transformer/runtime/product.h"

namespace transformer::ops {
namespace {

/// Loss sums of one chunk, added to smoothed and nll, and, in place of the logits, the loss's gradient with
/// respect to them.
void kernel_loss(const torch::Tensor& logits, const torch::Tensor& labels, double epsilon, bool gradient,
                 torch::Tensor& smoothed, torch::Tensor& nll) {
  ops::with_type_of(logits, [&](auto type) {
    using T = decltype(type);
    add_row_losses(logits.size(0), smoothed, nll,
                   [&](std::int64_t row, double* own_smoothed, double* own_nll) {
                     const kernels::CrossEntropy<T> part{.begin = row,
                                                         .end = row + 1,
                                                         .width = logits.size(1),
                                                         .labels = labels.const_data_ptr<std::int64_t>(),
                                                         .epsilon = static_cast<float>(epsilon),
                                                         .gradient = gradient,
                                                         .logits = ops::kernel_data<T>(logits),
                                                         .smoothed = own_smoothed,
                                                         .nll = own_nll};
                     ops::run_kernel(kernels::cross_entropy().run, kernels::cross_entropy().run_bf16, part);
                   });
  });
}

/// The mean of a state's logits over the vocabulary, which smoothing needs, without the logits: the state
/// times the mean row of the matrix. Its gradient needs no logits, either.
class MeanLogit {
 public:
  MeanLogit(const torch::Tensor& weight, const std::optional<torch::Tensor>& bias)
      : tokens_(static_cast<double>(weight.size(0))),
        row_(weight.mean(0, /*keepdim=*/false, torch::promote_types(weight.scalar_type(), torch::kFloat))),
        bias_(bias ? bias->mean() : torch::Tensor()) {}

  /// states: (n, D) → (n), fp32 or fp64
  torch::Tensor of(const torch::Tensor& states) const {
    const auto means = states.to(row_.scalar_type()).mv(row_);
    return bias_.defined() ? means + bias_ : means;
  }
  /// Subtracts its gradient, times a factor, from three gradients: of the states, (N, D), of the weight and
  /// of the bias. `states` are the first ones of the N. asked: (n), 1 or 0, how often each counts.
  void take_gradient(const torch::Tensor& states, const torch::Tensor& asked, double factor,
                     torch::Tensor& of_states, torch::Tensor& of_weight, torch::Tensor& of_bias) const {
    of_states.narrow(0, 0, states.size(0)).addcmul_(asked.unsqueeze(1), row_.unsqueeze(0), -factor);
    of_weight.sub_(sum_of(states, asked) * (factor / tokens_));
    if (of_bias.defined()) of_bias.sub_(asked.sum() * (factor / tokens_));
  }

 private:
  static torch::Tensor sum_of(const torch::Tensor& states, const torch::Tensor& asked) {
    if (states.is_cpu()) return states.to(asked.scalar_type()).t().mv(asked);
    return runtime::product_over_rows(states, asked.to(states.scalar_type()).unsqueeze(1)).squeeze(1);
  }

  double tokens_;
  torch::Tensor row_, bias_;  // (D), ()
};

/// The same on any device and of any type, but that the gradient lacks that of the mean logit.
void device_loss(torch::Tensor& logits, const torch::Tensor& labels, const torch::Tensor& mean_logits,
                 double epsilon, bool gradient, torch::Tensor& smoothed, torch::Tensor& nll) {
  const auto rows = softmax_loss(logits, labels, 1.0 - epsilon, gradient);
  const auto chunk_nll = rows.nll.sum(torch::kDouble);
  nll += chunk_nll;
  smoothed += chunk_nll * (1.0 - epsilon);
  if (mean_logits.defined()) smoothed += (rows.logsumexp - mean_logits).sum(torch::kDouble) * epsilon;
}

class ProjectedLoss : public ops::OnceDifferentiable<ProjectedLoss> {
 public:
  static constexpr const char* kName = "ops::projected_loss";

  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const torch::Tensor& states, const torch::Tensor& weight,
                                                const std::optional<torch::Tensor>& bias,
                                                const torch::Tensor& labels, double epsilon, bool gradient) {
    const auto dtype = states.scalar_type();
    const auto& x = states;
    const auto w = working(weight, dtype);
    const bool kernel = ops::has_kernels(x);
    auto smoothed = torch::zeros({}, states.options().dtype(torch::kDouble)),
         nll = torch::zeros_like(smoothed);
    torch::Tensor x_gradient, w_gradient, b_gradient;
    if (gradient) {
      if (bias) b_gradient = torch::zeros_like(*bias);
      x_gradient = torch::empty_like(x, x.options().dtype(torch::promote_types(dtype, torch::kFloat)));
      w_gradient = torch::zeros_like(weight);
    }
    const auto mean = !kernel && epsilon > 0.0 ? std::optional(MeanLogit(w, bias)) : std::nullopt;
    torch::Tensor counts;  // of each label: 1 if somebody asks
    if (mean) counts = labels.ge(0).to(torch::promote_types(dtype, torch::kFloat));
    const auto chunk = projected_rows_at_once(weight.size(0), x.is_cpu());
    std::int64_t end = 0;
    for (std::int64_t begin = 0; begin < labels.size(0); begin = end) {
      end = std::min(begin + chunk, x.size(0));
      const auto rows = x.slice(0, begin, end);
      auto logits = runtime::product(rows, w.t());  // (n, V)
      const auto chunk_labels = labels.slice(0, begin, end);
      auto asked = logits.narrow(0, 0, chunk_labels.size(0));
      if (kernel) {
        if (bias) ops::add_bias(logits, *bias, /*relu=*/false);
        kernel_loss(asked, chunk_labels, epsilon, gradient, smoothed, nll);
      } else {
        if (bias) logits.add_(*bias);
        const auto mean_logits =
            mean ? mean->of(rows.narrow(0, 0, asked.size(0))) * counts.slice(0, begin, end) : torch::Tensor();
        device_loss(asked, chunk_labels, mean_logits, epsilon, gradient, smoothed, nll);
      }
      if (!gradient) continue;
      if (asked.size(0) < logits.size(0)) logits.slice(0, asked.size(0)).zero_();
      const auto& delta = logits;
      auto x_part = x_gradient.slice(0, begin, end);
      runtime::product_into(x_part, delta, w);
      runtime::add_product_over_rows(w_gradient, delta, rows);
      if (bias)
        b_gradient +=
            kernel ? ops::bias_gradient(logits) : logits.sum(0, /*keepdim=*/false, bias->scalar_type());
    }
    if (gradient && end < x.size(0)) x_gradient.slice(0, end).zero_();
    if (gradient && mean)
      mean->take_gradient(x.narrow(0, 0, labels.size(0)), counts, epsilon, x_gradient, w_gradient,
                          b_gradient);
    if (gradient) save_gradients(context, {x_gradient, w_gradient, b_gradient}, /*states=*/1, dtype);
    context->mark_non_differentiable({nll});
    return {smoothed, nll};
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    return saved_gradients(context, received[0], 6);
  }
};

}  // namespace

std::int64_t projected_rows_at_once(std::int64_t vocabulary, bool on_cpu) {
  if (!on_cpu) {
    // Some 10 bytes a logit are 3.4 GB. The paper's vocabularies have 8192 rows at a time.
    constexpr std::int64_t kLogits = 8192LL * 40960, kTile = 128;
    return std::clamp<std::int64_t>(kLogits / vocabulary / kTile * kTile, kTile, 8192);
  }
  constexpr std::int64_t logits = 8 << 20;
  return std::clamp<std::int64_t>(logits / vocabulary, 64, 4096);
}

TokenLoss label_smoothed_loss(const torch::Tensor& logits, const torch::Tensor& labels, double epsilon) {
  const auto log_probabilities = torch::log_softmax(logits, -1);
  const auto nll = -log_probabilities.gather(1, labels.unsqueeze(1)).sum();
  const auto uniform = -log_probabilities.mean(1).sum();
  return {nll * (1.0 - epsilon) + uniform * epsilon, nll.detach()};
}

TokenLoss projected_loss(const torch::Tensor& states, const torch::Tensor& weight,
                         const torch::Tensor& labels, double epsilon, const torch::Tensor& bias) {
  const auto given = if_defined(bias);
  const bool gradient = torch::GradMode::is_enabled() && (states.requires_grad() || weight.requires_grad() ||
                                                          (given && given->requires_grad()));
  const auto sums = ProjectedLoss::apply(states, weight, given, labels, epsilon, gradient);
  return {sums[0], sums[1]};
}

}  // namespace transformer::ops

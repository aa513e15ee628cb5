#include "transformer/ops/r_drop.h"

#include <algorithm>

#include "transformer/kernels/r_drop.h"
#include "transformer/ops/bias.h"
#include "transformer/ops/cpu_kernels.h"
#include "transformer/ops/if_defined.h"
#include "transformer/ops/label_smoothing.h"
#include "transformer/ops/once_differentiable.h"
#include "transformer/ops/row_losses.h"
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

/// The loss's gradient with respect to the logits of `pass`. Its terms:
/// * L(p): p less the smoothed target.
/// * KL(p ‖ q): p_k (ln p_k - ln q_k - KL(p ‖ q)).
/// * KL(q ‖ p): p_k - q_k.
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

/// What a chunk adds to the sums. Its gradients with respect to both passes' logits take their place, in
/// `exact` in the type that they were computed in.
struct Chunk {
  torch::Tensor logits[2];  ///< (n, V)
  torch::Tensor exact[2];
};

/// By kernels.
void loss_by_kernel(Chunk& chunk, const torch::Tensor& labels, double epsilon, double alpha, bool gradient,
                    torch::Tensor& smoothed, torch::Tensor& nll) {
  with_type_of(chunk.logits[0], [&](auto type) {
    using T = decltype(type);
    add_row_losses(labels.size(0), smoothed, nll,
                   [&](std::int64_t row, double* own_smoothed, double* own_nll) {
                     const kernels::RDrop<T> part{.begin = row,
                                                  .end = row + 1,
                                                  .width = chunk.logits[0].size(1),
                                                  .labels = labels.const_data_ptr<std::int64_t>(),
                                                  .epsilon = static_cast<float>(epsilon),
                                                  .alpha = static_cast<float>(alpha),
                                                  .gradient = gradient,
                                                  .first = kernel_data<T>(chunk.logits[0]),
                                                  .second = kernel_data<T>(chunk.logits[1]),
                                                  .smoothed = own_smoothed,
                                                  .nll = own_nll};
                     run_kernel(kernels::r_drop().run, kernels::r_drop().run_bf16, part);
                   });
  });
  for (std::size_t i = 0; i < 2; ++i) chunk.exact[i] = chunk.logits[i];
}

/// By LibTorch's operations, on any device and of any type.
void loss_by_operations(Chunk& chunk, const torch::Tensor& labels, double epsilon, double alpha,
                        bool gradient, torch::Tensor& smoothed, torch::Tensor& nll) {
  const Pass a(chunk.logits[0]), b(chunk.logits[1]);
  const auto both = a.log_probabilities + b.log_probabilities;
  const auto chosen = -0.5 * both.gather(1, labels.unsqueeze(1)).sum(torch::kDouble);
  nll += chosen;
  smoothed += chosen * (1.0 - epsilon);
  if (epsilon > 0) smoothed -= 0.5 * epsilon * both.mean(1).sum(torch::kDouble);
  // KL(p ‖ q) + KL(q ‖ p)
  const auto divergence = (a.probabilities - b.probabilities) * (a.log_probabilities - b.log_probabilities);
  smoothed += alpha / 4 * divergence.sum(1).sum(torch::kDouble);
  if (!gradient) return;
  chunk.exact[0] = gradient_of(a, b, labels, epsilon, alpha);
  chunk.exact[1] = gradient_of(b, a, labels, epsilon, alpha);
  const auto type = chunk.logits[0].scalar_type();
  for (std::size_t i = 0; i < 2; ++i) chunk.logits[i] = chunk.exact[i].to(type);
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
    const bool kernel = has_kernels(first);
    const auto rows_at_once = projected_rows_at_once(weight.size(0), first.is_cpu());
    std::int64_t end = 0;
    for (std::int64_t begin = 0; begin < labels.size(0); begin = end) {
      end = std::min(begin + rows_at_once, first.size(0));
      const torch::Tensor rows[] = {first.slice(0, begin, end), second.slice(0, begin, end)};
      const auto own_labels = labels.slice(0, begin, end);
      Chunk chunk;
      for (std::size_t i = 0; i < 2; ++i) {
        chunk.logits[i] = runtime::product(rows[i], w.t());
        if (bias && kernel)
          add_bias(chunk.logits[i], *bias, /*relu=*/false);
        else if (bias)
          chunk.logits[i].add_(*bias);
        chunk.logits[i] = chunk.logits[i].narrow(0, 0, own_labels.size(0));
      }
      (kernel ? loss_by_kernel : loss_by_operations)(chunk, own_labels, epsilon, alpha, gradient, smoothed,
                                                     nll);
      for (std::size_t i = 0; gradient && i < 2; ++i) {
        auto own = gradients[i].slice(0, begin, end);
        const auto filler = end - begin - own_labels.size(0);
        const auto delta =
            filler > 0 ? at::constant_pad_nd(chunk.logits[i], {0, 0, 0, filler}) : chunk.logits[i];
        runtime::product_into(own, delta, w);
        runtime::add_product_over_rows(gradients[2], delta, rows[i]);
        if (bias) gradients[3] += chunk.exact[i].sum(0, /*keepdim=*/false, bias->scalar_type());
      }
    }
    for (std::size_t i = 0; gradient && end < first.size(0) && i < 2; ++i) gradients[i].slice(0, end).zero_();
    if (gradient)
      save_gradients(context, {gradients[0], gradients[1], gradients[2], gradients[3]}, /*states=*/2, dtype);
    context->mark_non_differentiable({nll});
    return {smoothed, nll};
  }

  static torch::autograd::variable_list gradients(torch::autograd::AutogradContext* context,
                                                  const torch::autograd::variable_list& received) {
    return saved_gradients(context, received[0], 8);
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

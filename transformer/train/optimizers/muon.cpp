#include "transformer/train/optimizers/muon.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "transformer/runtime/device.h"

namespace transformer::train {
namespace {

/// Of matrices whose step is one batch. On CPUs batches pay for small matrices in bf16 alone; elsewhere each
/// launch costs time.
std::int64_t numbers_together(const torch::Tensor& matrix) {
  if (!matrix.is_cpu()) return 1 << 25;
  return runtime::compute_type() == torch::kBFloat16 ? 1 << 18 : 0;
}

/// beta · sum + alpha · A B, of matrices or of batches of them.
torch::Tensor weighted(double beta, const torch::Tensor& sum, double alpha, const torch::Tensor& a,
                       const torch::Tensor& b) {
  return sum.dim() == 2 ? sum.addmm(a, b, beta, alpha) : sum.baddbmm(a, b, beta, alpha);
}

/// (R, C) of one, (N, R, C) of several: a product of one matrix is faster than a batch of one.
torch::Tensor joined(const std::vector<torch::Tensor>& matrices) {
  return matrices.size() == 1 ? matrices[0] : torch::stack(matrices);
}

}  // namespace

bool is_hidden_matrix(std::string_view name, std::int64_t dimensions) {
  const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return dimensions == 2 && name.substr(name.rfind('.') + 1).starts_with("weight") &&
         !contains("embedding") && !contains("positions") && !name.starts_with("output");
}

torch::Tensor orthogonalized(const torch::Tensor& matrices) {
  constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
  const bool are_tall = matrices.size(-2) > matrices.size(-1);
  const auto norms = torch::linalg_vector_norm(matrices, 2, {-2, -1}, /*keepdim=*/true);
  auto x = runtime::in_compute_type(matrices / (norms + 1e-7));
  if (are_tall) x = x.mT();
  for (int i = 0; i < 5; ++i) {
    const auto gram = x.matmul(x.mT());                          // A = X Xᵀ, of the shorter side
    x = weighted(a, x, 1, weighted(b, gram, c, gram, gram), x);  // X ← a X + (b A + c A²) X
  }
  return (are_tall ? x.mT() : x).to(matrices.scalar_type());
}

Muon::Muon(const NamedTensors& parameters, const TrainOptions& options)
    : Adam(parameters, options), momentum_(options.muon_momentum) {
  std::vector<std::string> others;
  for (const auto& [name, value] : parameters) {
    if (is_hidden_matrix(name, value.dim()))
      hidden_.insert(value.unsafeGetTensorImpl());
    else if (value.dim() > 1)
      others.push_back(name);
  }
  spdlog::info("muon: orthogonal steps for {} matrices, AdamW's for vectors{}{}", hidden_.size(),
               others.empty() ? "" : " and ", fmt::join(others, ", "));
}

void Muon::step_group(const Group& group, const std::vector<torch::Tensor>& gradients, double learning_rate,
                      const GradientUse& use) {
  struct Part {
    Group group;
    std::vector<torch::Tensor> gradients = {};
  };
  std::map<std::vector<std::int64_t>, Part> parts;  // hidden matrices by shape; others without one
  for (std::size_t i = 0; i < group.values.size(); ++i) {
    const auto& value = group.values[i];
    const bool is_hidden = hidden_.contains(value.unsafeGetTensorImpl());
    auto& [part, own] = parts[is_hidden ? value.sizes().vec() : std::vector<std::int64_t>()];
    part.weight_decay = group.weight_decay;
    part.values.push_back(value);
    part.kept.resize(group.kept.size());
    for (std::size_t kept = 0; kept < group.kept.size(); ++kept)
      part.kept[kept].push_back(group.kept[kept][i]);
    part.updates.push_back(group.updates[i]);
    own.push_back(gradients[i]);
    if (!is_hidden || std::ssize(own) * value.numel() < numbers_together(value)) continue;
    step_matrices(part, own, learning_rate, use);
    part = {}, own = {};
  }
  for (const auto& [shape, part] : parts) {
    if (shape.empty())
      Adam::step_group(part.group, part.gradients, learning_rate, use);
    else if (!part.gradients.empty())
      step_matrices(part.group, part.gradients, learning_rate, use);
  }
}

void Muon::step_matrices(const Group& group, const std::vector<torch::Tensor>& gradients,
                         double learning_rate, const GradientUse& use) const {
  const auto set = [&](const std::vector<torch::Tensor>& all, const torch::Tensor& now, torch::Tensor next) {
    if (use.useless.defined()) next = torch::where(use.useless.to(torch::kBool), now, next);
    torch::_foreach_copy_(all, next.view({-1, next.size(-2), next.size(-1)}).unbind());
  };
  const auto m = joined(group.kept[0]), w = joined(group.values);
  auto g = joined(gradients);
  if (use.divisor.defined()) g = g / use.divisor;
  const auto next_m = m.mul(momentum_).add_(g);
  const auto direction = orthogonalized(g.add(next_m, momentum_));
  const double size = 0.2 * std::sqrt(static_cast<double>(std::max(w.size(-2), w.size(-1))));
  set(group.kept[0], m, next_m);
  set(group.values, w, w.mul(1 - learning_rate * group.weight_decay).sub_(direction, learning_rate * size));
}

}  // namespace transformer::train

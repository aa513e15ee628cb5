#include "transformer/ops/working_weights.h"

#include <torch/utils.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace transformer::ops {
namespace {

thread_local WorkingWeights* in_use = nullptr;

std::vector<std::uint32_t> versions_of(const std::vector<torch::Tensor>& weights) {
  std::vector<std::uint32_t> versions;
  for (const auto& weight : weights) versions.push_back(static_cast<std::uint32_t>(weight._version()));
  return versions;
}

/// Whether all are parameters. A tensor computed from parameters, such as a projection times √d_k, is new
/// each time, so a kept copy would never be used again.
bool are_parameters(at::TensorList weights) {
  return std::all_of(weights.begin(), weights.end(),
                     [](const torch::Tensor& weight) { return weight.is_leaf() && weight.requires_grad(); });
}

}  // namespace

WorkingWeights::Use::Use(WorkingWeights& weights) : before_(std::exchange(in_use, &weights)) {}

WorkingWeights::Use::~Use() {
  in_use = before_;
}

torch::Tensor WorkingWeights::get(at::TensorList weights, torch::ScalarType type) {
  const torch::NoGradGuard no_gradients;
  auto& copy = copies_[{weights.front().unsafeGetTensorImpl(), weights.size(), type}];
  if (!copy.joined.defined()) {
    copy.weights = weights.vec();
    auto shape = weights.front().sizes().vec();
    std::vector<std::int64_t> sizes;
    for (const auto& weight : weights) sizes.push_back(weight.size(0));
    shape[0] = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    copy.joined = torch::empty(shape, weights.front().options().dtype(type).requires_grad(false));
    copy.parts = copy.joined.split_with_sizes(sizes);
  }
  if (auto versions = versions_of(copy.weights); versions != copy.versions) {
    torch::_foreach_copy_(copy.parts, copy.weights);
    copy.versions = std::move(versions);
  }
  return copy.joined;
}

void WorkingWeights::refresh() {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> to, from;
  for (auto& [key, copy] : copies_) {
    to.insert(to.end(), copy.parts.begin(), copy.parts.end());
    from.insert(from.end(), copy.weights.begin(), copy.weights.end());
    copy.versions = versions_of(copy.weights);
  }
  if (!to.empty()) torch::_foreach_copy_(to, from);
}

torch::Tensor working(at::TensorList weights, torch::ScalarType type) {
  if (weights.size() == 1 && weights.front().scalar_type() == type) return weights.front();
  if (in_use && are_parameters(weights)) return in_use->get(weights, type);
  return weights.size() == 1 ? weights.front().to(type) : torch::cat(weights).to(type);
}

}  // namespace transformer::ops

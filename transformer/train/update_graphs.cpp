#include "transformer/train/update_graphs.h"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/ops/sequences.h"

namespace transformer::train {
namespace {

std::vector<torch::Tensor> copies_of(const std::vector<torch::Tensor>& tensors) {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> copies;
  for (const auto& tensor : tensors) copies.push_back(tensor.clone());
  return copies;
}

void restore(const std::vector<torch::Tensor>& tensors, const std::vector<torch::Tensor>& from) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].copy_(from[i]);
}

/// The norm of the difference of all, fp64.
double distance(const std::vector<torch::Tensor>& a, const std::vector<torch::Tensor>& b) {
  const torch::NoGradGuard no_gradients;
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (a[i] - b[i]).to(torch::kDouble).square().sum().item<double>();
  return std::sqrt(squares);
}

}  // namespace

UpdateGraphs::UpdateGraphs(const Objective& objective, Optimizer& optimizer, const torch::Device& device,
                           std::vector<torch::Tensor> changing, double precision)
    : objective_(objective),
      optimizer_(optimizer),
      device_(device),
      changing_(std::move(changing)),
      precision_(precision),
      pool_(gpu::new_graph_pool(device)) {}

void UpdateGraphs::forget() {
  declined_ = true;
  shapes_.clear();
  size_ = 0;
}

void UpdateGraphs::decline(const std::string& why) {
  forget();
  spdlog::warn("{}: updates are computed operation by operation, since they cannot be graphs: {}",
               device_.str(), why.substr(0, why.find('\n')));
}

torch::Tensor UpdateGraphs::run(const std::any& batch, const UpdateNumbers& numbers, const Compute& compute) {
  const auto key = declined_ ? std::vector<std::int64_t>{} : objective_.shape_of(batch);
  if (key.empty()) return compute(batch, numbers);
  auto& shape = shapes_[key];
  if (shape.graph) {
    objective_.refill(shape.batch, batch);
    shape.numbers.memory.copy_(numbers.memory);
    return replayed(shape);
  }
  if (!std::exchange(shape.seen, true) || size_ == kMost) return first(batch, numbers, compute);
  if (!record(shape, batch, numbers, compute)) return compute(batch, numbers);
  return agreed_ ? replayed(shape) : compared(shape, compute);
}

torch::Tensor UpdateGraphs::first(const std::any& batch, const UpdateNumbers& numbers,
                                  const Compute& compute) {
  const auto before = ops::LongestLength::reads();
  auto result = compute(batch, numbers);
  if (ops::LongestLength::reads() != before) forget();
  return result;
}

bool UpdateGraphs::record(Recorded& shape, const std::any& batch, const UpdateNumbers& numbers,
                          const Compute& compute) {
  shape.batch = batch;
  shape.numbers = numbers;
  try {
    shape.graph =
        std::make_unique<gpu::Graph>(device_, pool_, [&] { shape.result = compute(batch, numbers); });
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    decline(error.what());
  }
  optimizer_.clear_gradients();  // which are in the graph's memory
  if (declined_) return false;
  ++size_;
  spdlog::debug("{}: {} graphs of updates", device_.str(), size_);
  return true;
}

torch::Tensor UpdateGraphs::replayed(Recorded& shape) {
  shape.graph->replay();
  // For who keeps copies of weights, and asks whether these have changed.
  for (const auto& tensor : changing_) tensor.unsafeGetTensorImpl()->bump_version();
  return shape.result;
}

torch::Tensor UpdateGraphs::compared(Recorded& shape, const Compute& compute) {
  constexpr double kNumbers = 1e-2;  // devices add up in any order
  auto generator = at::globalContext().defaultGenerator(device_);
  const auto random = generator.get_state();
  const auto before = copies_of(changing_);
  auto computed = compute(shape.batch, shape.numbers).clone();
  double change = 0, apart = 0;
  torch::Tensor found;
  try {
    optimizer_.clear_gradients();
    const auto after = copies_of(changing_);
    restore(changing_, before);
    generator.set_state(random);
    found = replayed(shape);
    change = distance(after, before);
    apart = distance(changing_, after);
    agreed_ =
        torch::allclose(found, computed, kNumbers, 0, /*equal_nan=*/true) && !(apart > precision_ * change);
    if (agreed_) return found;
    restore(changing_, after);
  } catch (...) {
    restore(changing_, before);
    throw;
  }
  decline(
      fmt::format("one changed numbers by {:.2e} and lay {:.2e} away from what was computed", change, apart));
  return computed;
}

}  // namespace transformer::train

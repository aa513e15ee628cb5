#include "transformer/train/adam.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include "transformer/base/error.h"
#include "transformer/ops/if_defined.h"

namespace transformer::train {
namespace {

void restore_moment(torch::Tensor& moment, const std::string& name,
                    const std::map<std::string, torch::Tensor>& state, const std::string& source) {
  const auto found = state.find(name);
  if (found == state.end()) throw InputError(fmt::format("{}: '{}' is missing", source, name));
  if (found->second.sizes() != moment.sizes())
    throw InputError(fmt::format("{}: '{}' has another shape than the model's parameter", source, name));
  moment.copy_(found->second);
}

Adam::NamedTensors learned(Adam::NamedTensors parameters) {
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.second.requires_grad(); });
  return parameters;
}

}  // namespace

Adam::Adam(NamedTensors parameters, const TrainOptions& options)
    : parameters_(learned(std::move(parameters))),
      beta1_(options.beta1),
      beta2_(options.beta2),
      epsilon_(options.epsilon),
      weight_decay_(options.weight_decay) {
  for (const auto& [name, value] : parameters_) {
    first_moments_.push_back(torch::zeros_like(value));
    second_moments_.push_back(torch::zeros_like(value));
  }
  // LibTorch's operation takes a count for each parameter, which all may be one.
  if (!parameters_.empty())
    updates_ = torch::zeros({}, parameters_.front().second.options().dtype(torch::kFloat));
  make_groups();
}

void Adam::make_groups() {
  groups_.clear();
  Group matrices{weight_decay_}, others{};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!first_moments_[i].defined()) continue;
    const auto& value = parameters_[i].second;
    auto& group = value.dim() > 1 ? matrices : others;
    group.values.push_back(value);
    group.first_moments.push_back(first_moments_[i]);
    group.second_moments.push_back(second_moments_[i]);
    group.updates.push_back(updates_);
  }
  for (auto* group : {&matrices, &others})
    if (!group->values.empty()) groups_.push_back(std::move(*group));
}

void Adam::step(double learning_rate, const GradientUse& use) {
  const torch::NoGradGuard no_gradients;
  for (const auto& [name, value] : parameters_)
    TORCH_CHECK(value.grad().defined(), "Adam: '", name, "' has no gradient");
  if (use.useless.defined())
    updates_.add_(1 - use.useless);
  else if (updates_.defined())
    updates_.add_(1);
  for (auto& group : groups_) {
    std::vector<torch::Tensor> gradients;
    for (const auto& value : group.values) gradients.push_back(value.grad());
    torch::_fused_adamw_(group.values, gradients, group.first_moments, group.second_moments,
                         /*max_exp_avg_sqs=*/{}, group.updates, learning_rate, beta1_, beta2_,
                         group.weight_decay, epsilon_, /*amsgrad=*/false, /*maximize=*/false,
                         ops::if_defined(use.divisor), ops::if_defined(use.useless));
  }
}

void Adam::clear_gradients() {
  for (auto& [name, value] : parameters_) value.mutable_grad().reset();
}

torch::Tensor Adam::gradient_norm() const {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> gradients;
  for (const auto& [name, value] : parameters_) gradients.push_back(value.grad());
  return torch::linalg_vector_norm(torch::stack(torch::_foreach_norm(gradients)), 2, std::nullopt,
                                   /*keepdim=*/false, torch::kDouble);
}

torch::Tensor Adam::divisor(const torch::Tensor& norm, double limit, double scale) {
  if (limit > 0.0) return (norm / limit).clamp_min(scale).to(torch::kFloat);
  return scale == 1.0 ? torch::Tensor() : torch::full({}, scale, norm.options().dtype(torch::kFloat));
}

std::vector<torch::Tensor> Adam::parameters() const {
  std::vector<torch::Tensor> values;
  for (const auto& [name, value] : parameters_) values.push_back(value);
  return values;
}

void Adam::keep_moments(const std::vector<bool>& kept) {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (!kept.at(i)) first_moments_[i] = second_moments_[i] = torch::Tensor();
  make_groups();
}

Adam::NamedTensors Adam::state() const {
  NamedTensors state;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    state.emplace_back("m." + parameters_[i].first, first_moments_[i]);
    state.emplace_back("v." + parameters_[i].first, second_moments_[i]);
  }
  return state;
}

void Adam::restore(const std::map<std::string, torch::Tensor>& state, std::int64_t updates,
                   const std::string& source) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    restore_moment(first_moments_[i], "m." + parameters_[i].first, state, source);
    restore_moment(second_moments_[i], "v." + parameters_[i].first, state, source);
  }
  set_updates(updates);
}

void Adam::set_updates(std::int64_t updates) {
  if (updates_.defined()) updates_.fill_(static_cast<double>(updates));
}

}  // namespace transformer::train

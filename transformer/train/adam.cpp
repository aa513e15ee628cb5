#include "transformer/train/adam.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include <cmath>

#include "transformer/base/error.h"

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

}  // namespace

Adam::Adam(NamedTensors parameters, const TrainOptions& options)
    : parameters_(std::move(parameters)),
      beta1_(options.beta1),
      beta2_(options.beta2),
      epsilon_(options.epsilon) {
  for (const auto& [name, value] : parameters_) {
    values_.push_back(value);
    first_moments_.push_back(torch::zeros_like(value));
    second_moments_.push_back(torch::zeros_like(value));
    updates_.push_back(torch::zeros({}, value.options().dtype(torch::kFloat)));
  }
}

void Adam::step(double learning_rate) {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> gradients;
  for (const auto& value : values_) {
    TORCH_CHECK(value.grad().defined(), "Adam: a parameter without gradient");
    gradients.push_back(value.grad());
  }
  torch::_foreach_add_(updates_, 1.0);
  torch::_fused_adam_(values_, gradients, first_moments_, second_moments_, /*max_exp_avg_sqs=*/{}, updates_,
                      learning_rate, beta1_, beta2_, /*weight_decay=*/0.0, epsilon_, /*amsgrad=*/false,
                      /*maximize=*/false);
}

void Adam::clear_gradients() {
  for (auto& value : values_) value.mutable_grad().reset();
}

double Adam::clip_gradients(double limit) {
  const torch::NoGradGuard no_gradients;
  auto square = torch::zeros({}, values_.front().options().dtype(torch::kDouble));
  for (const auto& value : values_)
    square += torch::linalg_vector_norm(value.grad()).to(torch::kDouble).square();
  const double norm = std::sqrt(square.item<double>());
  if (limit > 0.0 && std::isfinite(norm) && norm > limit)
    for (auto& value : values_) value.mutable_grad().mul_(limit / norm);
  return norm;
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
    updates_[i].fill_(static_cast<double>(updates));
  }
}

}  // namespace transformer::train

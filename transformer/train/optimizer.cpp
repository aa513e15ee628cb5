#include "transformer/train/optimizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include <algorithm>

#include "transformer/base/error.h"

namespace transformer::train {
namespace {

NamedTensors learned(NamedTensors parameters) {
  std::erase_if(parameters, [](const auto& parameter) { return !parameter.second.requires_grad(); });
  return parameters;
}

std::vector<std::pair<std::string, std::int64_t>> dimensions_of(const NamedTensors& parameters) {
  std::vector<std::pair<std::string, std::int64_t>> all;
  for (const auto& [name, value] : parameters) all.emplace_back(name, value.dim());
  return all;
}

/// Without those that froze all their parameters, which are not here (trained_parts.h).
std::vector<ParameterGroup> without_frozen(std::vector<ParameterGroup> groups,
                                           const NamedTensors& parameters) {
  std::erase_if(groups, [&](const ParameterGroup& group) {
    return group.rate == 0 && std::ranges::none_of(parameters, [&](const auto& parameter) {
             return fits(group.pattern, parameter.first);
           });
  });
  return groups;
}

/// Of "m.NAME" the m, in the order in which they come.
std::vector<std::string> names_kept(const std::map<std::string, torch::Tensor>& state) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : state)
    if (auto kept = name.substr(0, name.find('.')); std::ranges::find(names, kept) == names.end())
      names.push_back(std::move(kept));
  return names;
}

void restore_one(torch::Tensor& kept, const std::string& name,
                 const std::map<std::string, torch::Tensor>& state, const std::string& source) {
  const auto found = state.find(name);
  if (found == state.end()) throw InputError(fmt::format("{}: '{}' is missing", source, name));
  if (found->second.sizes() != kept.sizes())
    throw InputError(fmt::format("{}: '{}' has another shape than the model's parameter", source, name));
  kept.copy_(found->second);
}

}  // namespace

void check_groups(const NamedTensors& parameters, const TrainOptions& options) {
  rules_of(dimensions_of(learned(parameters)), options.groups, options.weight_decay);
}

OptimizerParts parts_of(NamedTensors parameters, const TrainOptions& options) {
  return {std::move(parameters), facts_of(options.optimizer).kept, options.weight_decay, options.groups};
}

Optimizer::Optimizer(OptimizerParts parts)
    : parameters_(learned(std::move(parts.parameters))),
      kept_names_(std::move(parts.kept)),
      kept_(kept_names_.size()),
      rules_(rules_of(dimensions_of(parameters_), without_frozen(parts.groups, parameters_),
                      parts.weight_decay)) {
  for (auto& kept : kept_)
    for (const auto& [name, value] : parameters_) kept.push_back(torch::zeros_like(value));
  // LibTorch's operations take a count for each parameter, which all may be one.
  if (!parameters_.empty())
    updates_ = torch::zeros({}, parameters_.front().second.options().dtype(torch::kFloat));
  make_groups();
}

Optimizer::~Optimizer() = default;

void Optimizer::make_groups() {
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!own_.empty() && !own_[i]) continue;
    const auto& rule = rules_[i];
    auto& group = groups[rule.group];
    group.rate = rule.rate;
    group.weight_decay = rule.weight_decay;
    group.values.push_back(parameters_[i].second);
    group.updates.push_back(updates_);
    group.kept.resize(kept_.size());
    for (std::size_t kept = 0; kept < kept_.size(); ++kept) group.kept[kept].push_back(kept_[kept][i]);
  }
  groups_.clear();
  for (auto& [number, group] : groups) groups_.push_back(std::move(group));
}

void Optimizer::step(double learning_rate, const GradientUse& use) {
  const torch::NoGradGuard no_gradients;
  for (const auto& [name, value] : parameters_)
    TORCH_CHECK(value.grad().defined(), "optimiser: '", name, "' has no gradient");
  if (use.useless.defined())
    updates_.add_(1 - use.useless);
  else if (updates_.defined())
    updates_.add_(1);
  for (const auto& group : groups_) {
    std::vector<torch::Tensor> gradients;
    for (const auto& value : group.values) gradients.push_back(value.grad());
    auto own = use;
    if (own.rate.defined() && group.rate != 1.0) own.rate = own.rate * group.rate;
    step_group(group, gradients, group.rate * learning_rate, own);
  }
}

std::vector<torch::Tensor> Optimizer::changing() const {
  auto all = parameters();
  for (const auto& kept : kept_) all.insert(all.end(), kept.begin(), kept.end());
  all.push_back(updates_);
  std::erase_if(all, [](const torch::Tensor& tensor) { return !tensor.defined(); });
  return all;
}

void Optimizer::clear_gradients() {
  for (auto& [name, value] : parameters_) value.mutable_grad().reset();
}

torch::Tensor Optimizer::gradient_norm() const {
  const torch::NoGradGuard no_gradients;
  std::vector<torch::Tensor> gradients;
  for (const auto& [name, value] : parameters_) gradients.push_back(value.grad());
  // In fp64: sums of many million squares in fp32 come out some 0.1 % low.
  return torch::linalg_vector_norm(torch::stack(torch::_foreach_norm(gradients, 2, torch::kDouble)));
}

torch::Tensor Optimizer::divisor(const torch::Tensor& norm, double limit, double scale) {
  if (limit > 0.0) return (norm / limit).clamp_min(scale).to(torch::kFloat);
  return scale == 1.0 ? torch::Tensor() : torch::full({}, scale, norm.options().dtype(torch::kFloat));
}

std::vector<torch::Tensor> Optimizer::parameters() const {
  std::vector<torch::Tensor> values;
  for (const auto& [name, value] : parameters_) values.push_back(value);
  return values;
}

void Optimizer::keep_share(const std::vector<bool>& own) {
  own_ = own;
  for (auto& kept : kept_)
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (!own_.at(i)) kept[i] = torch::Tensor();
  make_groups();
}

NamedTensors Optimizer::state() const {
  NamedTensors state;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (std::size_t kept = 0; kept < kept_.size(); ++kept)
      state.emplace_back(kept_names_[kept] + "." + parameters_[i].first, kept_[kept][i]);
  return state;
}

void Optimizer::restore(const std::map<std::string, torch::Tensor>& state, std::int64_t updates,
                        const std::string& source) {
  auto expected = kept_names_;
  std::ranges::sort(expected);
  if (const auto found = names_kept(state); found != expected && !parameters_.empty())
    throw InputError(fmt::format(
        "{}: expected what this optimiser keeps for each parameter ({}), found what another one does ({})",
        source, fmt::join(expected, ", "), fmt::join(found, ", ")));
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (std::size_t kept = 0; kept < kept_.size(); ++kept)
      restore_one(kept_[kept][i], kept_names_[kept] + "." + parameters_[i].first, state, source);
  set_updates(updates);
}

void Optimizer::set_updates(std::int64_t updates) {
  if (updates_.defined()) updates_.fill_(static_cast<double>(updates));
}

}  // namespace transformer::train

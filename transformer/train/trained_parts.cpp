#include "transformer/train/trained_parts.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "transformer/base/error.h"
#include "transformer/base/random.h"

namespace transformer::train {
namespace {

constexpr std::int64_t kAdapters = 0xada;

/// The group of a parameter, or null.
const ParameterGroup* group_of(const std::string& name, const TrainOptions& options) {
  const auto found = std::ranges::find_if(
      options.groups, [&](const ParameterGroup& group) { return fits(group.pattern, name); });
  return found == options.groups.end() ? nullptr : &*found;
}

/// The first pattern of train.adapters that fits, or its end.
auto adapter_pattern_of(const std::string& name, const TrainOptions& options) {
  return std::ranges::find_if(options.adapters,
                              [&](const std::string& pattern) { return fits(pattern, name); });
}

void restore_part(torch::Tensor& value, const std::string& name,
                  const std::map<std::string, torch::Tensor>& saved, const std::string& source) {
  const auto found = saved.find(name);
  if (found == saved.end()) throw InputError(fmt::format("{}: '{}' of an adapter is missing", source, name));
  if (found->second.sizes() != value.sizes())
    throw InputError(fmt::format("{}: '{}' has another shape than the model's adapter", source, name));
  value.copy_(found->second);
}

}  // namespace

TrainedParts::TrainedParts(torch::nn::Module& module, const TrainOptions& options, std::int64_t seed)
    : scale_(options.adapter_alpha / static_cast<double>(options.adapter_rank)) {
  std::vector<bool> fitted(options.adapters.size());
  // Numbers of their own: those of the seed itself are drawn by the model.
  auto generator = at::make_generator<at::CPUGeneratorImpl>(mix(static_cast<std::uint64_t>(seed), kAdapters));
  const torch::NoGradGuard no_gradients;
  for (const auto& parameter : module.named_parameters()) {
    const auto& name = parameter.key();
    auto weight = parameter.value();
    if (!weight.requires_grad()) continue;  // statistics of a norm
    const auto pattern = adapter_pattern_of(name, options);
    const auto* group = group_of(name, options);
    const bool has_adapter = pattern != options.adapters.end() && weight.dim() == 2;
    if (has_adapter) {
      fitted[static_cast<std::size_t>(pattern - options.adapters.begin())] = true;
      add_adapter(name, weight, options);
      auto& adapter = adapters_.back();
      const auto bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
      auto drawn = torch::empty(adapter.a.sizes()).uniform_(-bound, bound, generator);
      adapter.a.copy_(drawn);
    } else if (group ? group->rate == 0 : !options.adapters.empty()) {
      weight.requires_grad_(false);
      frozen_.push_back(weight);
    } else {
      parameters_.emplace_back(name, weight);
    }
  }
  for (std::size_t i = 0; i < fitted.size(); ++i)
    if (!fitted[i])
      throw InputError(fmt::format(
          "train.adapters: expected a pattern that fits the name of a matrix, such as "
          "'*attention.query.weight', found '{}', which fits none that a pattern before it leaves",
          options.adapters[i]));
  if (parameters_.empty())
    throw InputError("train.groups: expected parameters that are trained, found a rate of 0 for all");
}

TrainedParts::~TrainedParts() {
  for (auto& weight : frozen_) weight.requires_grad_(true);
}

void TrainedParts::add_adapter(const std::string& name, const torch::Tensor& weight,
                               const TrainOptions& options) {
  const auto rows = weight.size(0), columns = weight.size(1), rank = options.adapter_rank;
  if (rank >= std::min(rows, columns))
    throw InputError(
        fmt::format("train.adapter_rank: expected less than the sides of '{}', a matrix of {} × {}, found {}",
                    name, rows, columns, rank));
  const auto numbers = weight.options().requires_grad(false);
  adapters_.push_back({.name = name,
                       .weight = weight,
                       .base = weight.detach().clone(),
                       .a = torch::empty({rank, columns}, numbers).requires_grad_(true),
                       .b = torch::zeros({rows, rank}, numbers).requires_grad_(true)});
  parameters_.emplace_back(name + ".adapter_a", adapters_.back().a);
  parameters_.emplace_back(name + ".adapter_b", adapters_.back().b);
}

std::int64_t TrainedParts::trained_numbers() const {
  std::int64_t numbers = 0;
  for (const auto& [name, value] : parameters_) numbers += value.numel();
  return numbers;
}

std::int64_t TrainedParts::frozen_numbers() const {
  std::int64_t numbers = 0;
  for (const auto& weight : frozen_) numbers += weight.numel();
  for (const auto& adapter : adapters_) numbers += adapter.weight.numel();
  return numbers;
}

void TrainedParts::take_base() {
  const torch::NoGradGuard no_gradients;
  for (auto& adapter : adapters_) adapter.base.copy_(adapter.weight);
}

void TrainedParts::project_gradients() {
  const torch::NoGradGuard no_gradients;
  for (auto& adapter : adapters_) {
    const auto gradient = adapter.weight.grad();
    TORCH_CHECK(gradient.defined(), "adapter: '", adapter.name, "' has no gradient");
    adapter.a.mutable_grad() = adapter.b.t().mm(gradient) * scale_;
    adapter.b.mutable_grad() = gradient.mm(adapter.a.t()) * scale_;
    adapter.weight.mutable_grad().reset();
  }
}

void TrainedParts::merge() {
  const torch::NoGradGuard no_gradients;
  for (auto& adapter : adapters_)
    adapter.weight.copy_(torch::addmm(adapter.base, adapter.b, adapter.a, /*beta=*/1, /*alpha=*/scale_));
}

void TrainedParts::clear_gradients() {
  for (auto& adapter : adapters_) adapter.weight.mutable_grad().reset();
}

NamedTensors TrainedParts::adapters() const {
  NamedTensors all;
  for (const auto& adapter : adapters_) {
    all.emplace_back(adapter.name + ".adapter_a", adapter.a);
    all.emplace_back(adapter.name + ".adapter_b", adapter.b);
  }
  return all;
}

NamedTensors TrainedParts::base() const {
  NamedTensors all;
  for (const auto& adapter : adapters_) all.emplace_back(adapter.name, adapter.base);
  return all;
}

void TrainedParts::restore(const std::map<std::string, torch::Tensor>& adapters,
                           const std::map<std::string, torch::Tensor>& base, const std::string& source) {
  const torch::NoGradGuard no_gradients;
  for (auto& adapter : adapters_) {
    restore_part(adapter.a, adapter.name + ".adapter_a", adapters, source);
    restore_part(adapter.b, adapter.name + ".adapter_b", adapters, source);
    restore_part(adapter.base, adapter.name, base, source);
  }
}

}  // namespace transformer::train

#include "transformer/train/sharded_moments.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace transformer::train {

std::vector<std::int64_t> moment_owners(const std::vector<torch::Tensor>& parameters,
                                        std::int64_t processes) {
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return parameters[i].numel(); });
  std::vector<std::int64_t> owners(parameters.size());
  std::vector<std::int64_t> kept(static_cast<std::size_t>(processes));
  for (const auto i : order) {
    const auto least = std::ranges::min_element(kept);
    owners[i] = least - kept.begin();
    *least += parameters[i].numel();
  }
  return owners;
}

ShardedMoments::ShardedMoments(distributed::Collectives& others, Optimizer& optimizer)
    : others_(others),
      optimizer_(optimizer),
      owners_(moment_owners(optimizer.parameters(), others.group().size())) {
  std::vector<bool> own;
  for (const auto owner : owners_) own.push_back(owner == others.group().rank());
  optimizer.keep_share(own);
  move_parameters();
}

/// To where the other processes read them, if they can.
void ShardedMoments::move_parameters() {
  const torch::NoGradGuard no_gradients;
  const auto parameters = optimizer_.parameters();
  if (parameters.empty()) return;
  constexpr std::int64_t kLine = 16;  // numbers: each parameter begins at a line of the cache
  const auto size = [&](const torch::Tensor& parameter) {
    return (parameter.numel() + kLine - 1) / kLine * kLine;
  };
  std::int64_t numbers = 0;
  for (const auto& parameter : parameters) numbers += size(parameter);
  const auto memory = others_.zeros(numbers, parameters.front().options().requires_grad(false));
  std::int64_t end = 0;
  for (std::int64_t owner = 0; owner < others_.group().size(); ++owner) {
    const auto begin = end;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (owners_[i] != owner) continue;
      auto parameter = parameters[i];
      parameter.set_data(memory.narrow(0, end, parameter.numel()).view_as(parameter).copy_(parameter));
      end += size(parameter);
    }
    of_owner_.push_back(memory.narrow(0, begin, end - begin));
  }
}

void ShardedMoments::share_parameters() {
  std::vector<distributed::Collectives::Pending> pending;
  for (std::int64_t owner = 0; owner < std::ssize(of_owner_); ++owner)
    if (const auto& all = of_owner_[static_cast<std::size_t>(owner)]; all.numel() > 0)
      pending.push_back(others_.begin_broadcast(all, owner));
  for (auto& one : pending) one.wait();
}

NamedTensors ShardedMoments::gather() {
  const bool leads = others_.group().leads();
  const auto parameters = optimizer_.parameters();
  auto state = optimizer_.state();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (owners_[i] == 0) continue;
    for (std::size_t kept = 0; kept < optimizer_.kept_numbers(); ++kept) {
      auto& tensor = state[i * optimizer_.kept_numbers() + kept].second;
      if (leads) {
        tensor = torch::empty_like(parameters[i], torch::TensorOptions().requires_grad(false));
        others_.receive(tensor, owners_[i]);
      } else if (owners_[i] == others_.group().rank()) {
        others_.send(tensor, 0);
      }
    }
  }
  return state;
}

}  // namespace transformer::train

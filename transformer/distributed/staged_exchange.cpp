#include "transformer/distributed/staged_exchange.h"

#include <utility>

#include "transformer/distributed/collectives.h"

namespace transformer::distributed {

torch::Tensor StagedExchange::zeros(std::int64_t count, const torch::TensorOptions& options) {
  twins_.push_back({torch::zeros({count}, options), host_.zeros(count, options.device(torch::kCPU))});
  return twins_.back().device;
}

std::int64_t StagedExchange::begin(const Begun& begun) {
  begun_.push_back(begun);
  return finished_ + std::ssize(begun_);
}

void StagedExchange::finish(std::int64_t number) {
  if (number > finished_) finish_all();
}

/// A place of the same shape; its content may be anything.
torch::Tensor StagedExchange::on_host(const torch::Tensor& tensor) const {
  for (const auto& [device, host] : twins_)
    if (device.is_alias_of(tensor))
      return host.narrow(0, tensor.storage_offset() - device.storage_offset(), tensor.numel())
          .view_as(tensor);
  return torch::empty_like(tensor, tensor.options().device(torch::kCPU).requires_grad(false));
}

void StagedExchange::finish_all() {
  const torch::NoGradGuard no_gradients;
  const auto all = std::exchange(begun_, {});
  std::vector<torch::Tensor> places;
  std::vector<Collectives::Pending> pending;
  for (const auto& [tensor, from] : all) {
    auto& place = places.emplace_back(on_host(tensor));
    if (!from || *from == host_.group().rank()) place.copy_(tensor);
    pending.push_back(from ? host_.begin_broadcast(place, *from) : host_.begin_sum(place));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    pending[i].wait();
    if (all[i].from != host_.group().rank()) all[i].tensor.copy_(places[i]);
  }
  finished_ += std::ssize(all);
}

}  // namespace transformer::distributed

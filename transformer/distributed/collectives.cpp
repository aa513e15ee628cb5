#include "transformer/distributed/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <net/if.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/distributed/addresses.h"
#include "transformer/distributed/store.h"

#ifdef TRANSFORMER_HAS_GLOO
#define USE_C10D_GLOO 1
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

namespace transformer::distributed {

#ifdef TRANSFORMER_HAS_GLOO

namespace {

std::string symptom_of(const std::string& error) {
  if (error.find("Timed out") != std::string::npos) return kWaitedTooLong;
  return error.substr(0, error.find('\n'));
}

/// Most errors in an exchange mean that another process has gone.
template <typename Exchange>
auto together(Group& group, Exchange exchange) {
  try {
    return exchange();
  } catch (const c10::Error& error) {
    throw RunEnded(group.explain(symptom_of(error.what_without_backtrace())));
  } catch (const std::exception& error) {
    throw RunEnded(group.explain(symptom_of(error.what())));
  }
}

/// Of Gloo, which says nothing of it to a user. Throws InputError where it is none of this machine's.
const char* chosen_interface() {
  const char* name = std::getenv("GLOO_SOCKET_IFNAME");  // as PyTorch's own programs
  if (name == nullptr || ::if_nametoindex(name) != 0) return name;
  std::vector<std::string> known;
  struct if_nameindex* const all = ::if_nameindex();
  for (const auto* one = all; one != nullptr && one->if_index != 0; ++one) known.emplace_back(one->if_name);
  if (all != nullptr) ::if_freenameindex(all);
  throw InputError(
      fmt::format("environment: GLOO_SOCKET_IFNAME: expected an interface of this machine ({}), found '{}'",
                  fmt::join(known, ", "), name));
}

c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> options_for(const Group& group,
                                                                std::chrono::seconds timeout) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  const char* interface = chosen_interface();
  options->devices.push_back(interface ? c10d::ProcessGroupGloo::createDeviceForInterface(interface)
                                       : c10d::ProcessGroupGloo::createDeviceForHostname(
                                             own_address_towards(group.placement().address)));
  return options;
}

}  // namespace

struct Collectives::Gloo {
  Gloo(const c10::intrusive_ptr<c10d::Store>& store, const Group& members, std::chrono::seconds timeout)
      : group(store, static_cast<int>(members.rank()), static_cast<int>(members.size()),
              options_for(members, timeout)) {}

  c10d::ProcessGroupGloo group;
};

struct Collectives::Pending::Work {
  c10::intrusive_ptr<c10d::Work> work = {};
  std::vector<at::Tensor> tensors = {};
  SharedExchange* shared = nullptr;     // who does it instead of Gloo: this one
  DeviceExchange* on_device = nullptr;  // or this one; and
  std::int64_t number = 0;              // its number there
};

Collectives::Collectives(Group& group, std::chrono::seconds timeout, OnOneHost by)
    : group_(group), timeout_(timeout) {
  chosen_interface();  // before it would be taken for another process's fault
  group.meet();        // the timeout is not for those who still load their data
  const auto store = group.part_of_store("gloo");
  const auto raw = c10::intrusive_ptr<c10d::Store>::reclaim_copy(&store.raw());
  gloo_ = together(group, [&] { return std::make_unique<Gloo>(raw, group, timeout); });
  switch (by) {
    case OnOneHost::shared_memory:
      if (group.size() > 1) shared_ = SharedExchange::make(group, timeout);
      break;
    case OnOneHost::gloo:
      break;
  }
}

Collectives::~Collectives() = default;

DeviceExchange& Collectives::on_device(const torch::Device& device) {
  if (!on_device_) on_device_ = make_device_exchange(*this, device, timeout_);
  return *on_device_;
}

torch::Tensor Collectives::zeros(std::int64_t count, const torch::TensorOptions& options) {
  if (!options.device().is_cpu()) return on_device(options.device()).zeros(count, options);
  return shared_ ? shared_->zeros(count, options) : torch::zeros({count}, options);
}

void Collectives::Pending::wait() {
  if (work_->shared) return work_->shared->finish(work_->number);
  if (work_->on_device) return work_->on_device->finish(work_->number);
  together(*group_, [&] { return work_->work->wait(); });
}

Collectives::Pending Collectives::begin_sum(const torch::Tensor& tensor) {
  auto work = std::make_shared<Pending::Work>();
  if (!tensor.is_cpu()) {
    work->on_device = &on_device(tensor.device());
    work->number = work->on_device->begin_sum(tensor);
    return {group_, work};
  }
  if (shared_ && SharedExchange::can_sum(tensor)) {
    work->shared = shared_.get();
    work->number = shared_->begin_sum(tensor);
    return {group_, work};
  }
  work->tensors = {tensor};
  together(group_, [&] {
    work->work = gloo_->group.allreduce(work->tensors);
    return true;
  });
  return {group_, work};
}

Collectives::Pending Collectives::begin_broadcast(const torch::Tensor& tensor, std::int64_t from) {
  auto work = std::make_shared<Pending::Work>();
  if (!tensor.is_cpu()) {
    work->on_device = &on_device(tensor.device());
    work->number = work->on_device->begin_broadcast(tensor, from);
    return {group_, work};
  }
  if (shared_ && shared_->can_broadcast(tensor)) {
    work->shared = shared_.get();
    work->number = shared_->begin_broadcast(tensor, from);
    return {group_, work};
  }
  work->tensors = {tensor};
  together(group_, [&] {
    c10d::BroadcastOptions options;
    options.rootRank = from;
    work->work = gloo_->group.broadcast(work->tensors, options);
    return true;
  });
  return {group_, work};
}

void Collectives::send(const torch::Tensor& tensor, std::int64_t to) {
  std::vector<at::Tensor> tensors{tensor.cpu()};
  together(group_, [&] { return gloo_->group.send(tensors, static_cast<int>(to), /*tag=*/0)->wait(); });
}

void Collectives::receive(const torch::Tensor& tensor, std::int64_t from) {
  std::vector<at::Tensor> tensors{tensor.is_cpu() ? tensor : torch::empty_like(tensor, torch::kCPU)};
  together(group_, [&] { return gloo_->group.recv(tensors, static_cast<int>(from), /*tag=*/0)->wait(); });
  if (!tensor.is_cpu()) tensor.copy_(tensors.front());
}

#else

struct Collectives::Gloo {};
struct Collectives::Pending::Work {};

Collectives::Collectives(Group& group, std::chrono::seconds timeout, OnOneHost)
    : group_(group), timeout_(timeout) {
  throw InputError(
      "several processes: expected a program that was built with Gloo's headers (Debian's libgloo-dev), "
      "found "
      "one without");
}
Collectives::~Collectives() = default;
torch::Tensor Collectives::zeros(std::int64_t count, const torch::TensorOptions& options) {
  return torch::zeros({count}, options);
}
void Collectives::Pending::wait() {}
Collectives::Pending Collectives::begin_sum(const torch::Tensor&) {
  return {group_, nullptr};
}
Collectives::Pending Collectives::begin_broadcast(const torch::Tensor&, std::int64_t) {
  return {group_, nullptr};
}
void Collectives::send(const torch::Tensor&, std::int64_t) {}
void Collectives::receive(const torch::Tensor&, std::int64_t) {}

#endif

}  // namespace transformer::distributed

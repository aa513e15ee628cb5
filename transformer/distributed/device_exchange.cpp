#include "transformer/distributed/device_exchange.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <set>
#include <string>

#include "transformer/distributed/addresses.h"
#include "transformer/distributed/collectives.h"
#include "transformer/distributed/nccl_exchange.h"
#include "transformer/distributed/staged_exchange.h"

namespace transformer::distributed {
namespace {

/// This process's device, as no other machine names its own.
std::string name_of(const torch::Device& device) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");  // launchers may give each process another one
  return fmt::format("{} {} {}", host_name(), visible ? visible : "", device.str());
}

bool may_share_devices() {
  const char* value = std::getenv("NCCL_MULTI_RANK_GPU_ENABLE");
  return value != nullptr && std::string(value) == "1";
}

/// Why NCCL does not serve, in all processes alike; empty if it does.
std::string why_not_nccl(Group& group, const torch::Device& device) {
  const auto& problem = load_nccl().problem;
  for (const auto& theirs : group.exchange(problem))
    if (!theirs.empty()) return theirs;
  if (group.any(!may_share_devices())) {
    const auto names = group.exchange(name_of(device));
    if (const std::set<std::string> different(names.begin(), names.end()); different.size() < names.size())
      return fmt::format("{} processes share {} device{}", names.size(), different.size(),
                         different.size() == 1 ? "" : "s");
  }
  return "";
}

}  // namespace

std::unique_ptr<DeviceExchange> make_device_exchange(Collectives& host, const torch::Device& device,
                                                     std::chrono::seconds timeout) {
  auto& group = host.group();
  const auto why_not = why_not_nccl(group, device);
  if (why_not.empty()) {
    if (group.leads()) spdlog::info("{} devices exchange tensors by NCCL", group.size());
    return std::make_unique<NcclExchange>(group, device, timeout);
  }
  if (group.leads())
    spdlog::warn("the processes exchange tensors through the host's memory, not by NCCL, which is slow: {}",
                 why_not);
  return std::make_unique<StagedExchange>(host);
}

}  // namespace transformer::distributed

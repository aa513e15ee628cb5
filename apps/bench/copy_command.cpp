#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <memory>

#include "apps/bench/commands.h"
#include "apps/bench/device_seconds.h"
#include "transformer/runtime/device.h"

namespace transformer::bench {
namespace {

/// Bytes a second of a copy from memory to memory of the same device: what is read and what is written.
double copy_bandwidth(std::int64_t bytes, const torch::Device& device) {
  const auto from = torch::randn({bytes / 4}, torch::TensorOptions(device));
  auto to = torch::empty_like(from);
  return 2.0 * static_cast<double>(from.nbytes()) / least_seconds([&] { to.copy_(from); }, device);
}

}  // namespace

Command add_copy(CLI::App& app, const Shared& shared) {
  const auto mebibytes = std::make_shared<std::int64_t>(512);
  app.add_subcommand("copy",
                     "Memory: a copy of numbers from one place of the device to another, in bytes read and "
                     "written a second")
      ->add_option("--size", *mebibytes, "MiB that are copied; many times what the caches hold")
      ->check(CLI::Range(1, 1 << 20).description(""))
      ->capture_default_str();
  return [shared, mebibytes] {
    const auto device = runtime::choose_device(shared.options.device);
    const double speed = copy_bandwidth(*mebibytes << 20, device);
    shared.output.show({{"benchmark", "copy"},
                        {"device", device.str()},
                        {"bytes", *mebibytes << 20},
                        {"bytes_per_second", speed}},
                       fmt::format("copying {} MiB: {:.1f} GB/s, read and written", *mebibytes, speed / 1e9));
    return static_cast<int>(apps::kDone);
  };
}

}  // namespace transformer::bench

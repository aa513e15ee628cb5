#include "transformer/train/conditions.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "transformer/base/error.h"

namespace transformer::train {

Conditions current_conditions(const data::Prepared& data, const torch::Device& device,
                              torch::ScalarType precision) {
  return {.precision = precision == torch::kBFloat16 ? "bf16" : "fp32",
          .device = torch::DeviceTypeName(device.type(), /*lower_case=*/true),
          .threads = at::get_num_threads(),
          .train_data = fmt::format("{:016x}", data.train.checksum()),
          .dev_data = fmt::format("{:016x}", data.dev.checksum())};
}

void check_conditions(const Conditions& before, const Conditions& now, const std::string& source) {
  const auto refuse = [&](const std::string& what, const std::string& expected, const std::string& found) {
    if (expected != found)
      throw InputError(fmt::format("{}: the run goes on with its own {} only: expected {}, found {}", source,
                                   what, expected, found));
  };
  refuse("--precision", before.precision, now.precision);
  refuse("training data (checksum of train.bin)", before.train_data, now.train_data);
  refuse("dev data (checksum of dev.bin)", before.dev_data, now.dev_data);
  if (before.device != now.device)
    spdlog::warn("the run began on {} and goes on on {}: from here on its numbers are rounded differently",
                 before.device, now.device);
  else if (before.device == "cpu" && before.threads != now.threads)
    spdlog::warn(
        "the run began with --threads {} and goes on with {}: its numbers may be rounded differently",
        before.threads, now.threads);
}

}  // namespace transformer::train

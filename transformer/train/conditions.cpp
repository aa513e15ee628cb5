#include "transformer/train/conditions.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "transformer/base/error.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/config/keys.h"
#include "transformer/config/yaml.h"
#include "transformer/data/batching.h"
#include "transformer/runtime/device.h"

namespace transformer::train {

Conditions current_conditions(Task& task, torch::ScalarType precision, std::int64_t processes) {
  return {.precision = runtime::name_of_precision(precision),
          .device = torch::DeviceTypeName(device_of(task.module()).type(), /*lower_case=*/true),
          .threads = at::get_num_threads(),
          .processes = processes,
          .train_data = fmt::format("{:016x}", task.training().data_checksum()),
          .dev_data = fmt::format("{:016x}", task.dev().data_checksum()),
          .batch_order = data::kBatchOrder};
}

std::string checksum_of_beginning(const std::string& from, const std::string& begun) {
  std::error_code unknown;
  if (from.empty() || !std::filesystem::exists(from, unknown)) return begun;
  return checkpoints::checksum_of_weights(from);
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
  refuse("beginning (train.from, checksum of model.safetensors)", before.from.empty() ? "none" : before.from,
         now.from.empty() ? "none" : now.from);
  if (before.batch_order != now.batch_order)
    throw InputError(fmt::format(
        "{}: the run was begun by another version of this program, which put the training data into other "
        "batches: expected order {}, found {}; go on with that version, or start anew with another --run",
        source, now.batch_order, before.batch_order));
  if (before.device != now.device)
    spdlog::warn("the run began on {} and goes on on {}: from here on its numbers are rounded differently",
                 before.device, now.device);
  else if (before.processes != now.processes)
    spdlog::warn(
        "the run began with {} process{} and goes on with {}: its numbers may be rounded differently",
        before.processes, before.processes == 1 ? "" : "es", now.processes);
  else if (before.device == "cpu" && before.threads != now.threads)
    spdlog::warn(
        "the run began with --threads {} and goes on with {}: its numbers may be rounded differently",
        before.threads, now.threads);
}

void check_unchanged(const config::Experiment& before, const config::Experiment& now,
                     const std::string& source) {
  std::vector<std::string> changes;
  for (const auto& [key, left, right] : config::differences_in_weights(before, now))
    changes.push_back(fmt::format("'{}' is {}, found {}", key, left, right));
  if (!changes.empty())
    throw InputError(fmt::format("{}: a run goes on with its own configuration: {} (what may change: {})",
                                 source, fmt::join(changes, "; "),
                                 fmt::join(config::keys_that_decide_no_weights(now), ", ")));
}

}  // namespace transformer::train

#include "apps/inspect/time.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/common/not_empty.h"
#include "transformer/base/error.h"
#include "transformer/models/update_time.h"
#include "transformer/train/cost.h"

namespace transformer::apps {
namespace {

void print_text(const models::UpdateTime& time, const models::UpdateShape& shape,
                const std::string& precision, const train::TrainOptions& options) {
  const auto taken = options.micro_tokens ? std::string()
                                          : fmt::format(" of {}, taken for train.micro_tokens: auto",
                                                        train::reckoned_micro_tokens(options));
  fmt::print("an update of {:.0f} + {:.0f} tokens in {:.0f} micro-batches{}, {}: predicted, not measured\n\n",
             shape.tokens, shape.tokens, shape.micro_batches, taken, is_half(precision) ? precision : "fp32");
  fmt::print("  {:<36}{:>10}{:>10}{:>10}{:>9}{:>7}\n", "", "launches", "GFLOP", "GB", "ms", "%");
  const auto row = [&](const std::string& name, double launches, double flops, double bytes, double seconds) {
    fmt::print("  {:<36}{:>10.0f}{:>10.1f}{:>10.2f}{:>9.2f}{:>7.1f}\n", name, launches, flops / 1e9,
               bytes / 1e9, seconds * 1e3, 100 * seconds / time.device_seconds);
  };
  for (const auto& operation : time.operations)
    row(operation.name, operation.launches, operation.flops, operation.bytes, operation.seconds);
  row("the device", time.launches, time.flops, time.bytes, time.device_seconds);
  fmt::print("  the host, launching{:>56.2f}\n", time.host_seconds * 1e3);
  fmt::print("\nan update takes {:.2f} ms, {:.1f} TFLOP/s\n", time.seconds() * 1e3,
             time.flops / time.seconds() / 1e12);
}

void print_json(const models::UpdateTime& time, const std::vector<models::ScaledUpdate>& scaling) {
  nlohmann::ordered_json out;
  for (const auto& operation : time.operations)
    out["operations"].push_back({{"name", operation.name},
                                 {"launches", operation.launches},
                                 {"flops", operation.flops},
                                 {"bytes", operation.bytes},
                                 {"seconds", operation.seconds}});
  out["launches"] = time.launches;
  out["flops"] = time.flops;
  out["bytes"] = time.bytes;
  out["device_seconds"] = time.device_seconds;
  out["host_seconds"] = time.host_seconds;
  out["predicted_seconds"] = time.seconds();
  if (!scaling.empty()) out["scaling"] = scaling_to_json(scaling);
  fmt::print("{}\n", out.dump(2));
}

/// CLI::Range takes a NaN for a number in it.
std::string check_figure(const std::string& value) {
  double figure = 0;
  const bool good = CLI::detail::lexical_cast(value, figure) && figure >= 1e-6 && figure <= 1e9;
  return good ? "" : fmt::format("expected a number from 1e-6 to 1e9, found '{}'", value);
}

}  // namespace

void add_device_options(CLI::App& app, DeviceFigures& device) {
  const CLI::Validator positive(check_figure, "");
  auto* peak =
      app.add_option("--device-peak", device.peak_teraflops,
                     "Predict an update's time on a device that multiplies matrices at so many TFLOP/s")
          ->check(positive);
  auto* bandwidth =
      app.add_option("--memory-bandwidth", device.bandwidth_gigabytes, "GB/s of the device's memory")
          ->check(positive)
          ->needs(peak);
  peak->needs(bandwidth);
  app.add_option("--launch", device.launch_microseconds, "Microseconds that the host takes for an operation")
      ->check(positive)
      ->needs(peak)
      ->capture_default_str();
  auto* devices = app.add_option("--devices", device.network.devices,
                                 "Predict it also for so many devices that share the update, as in 1,8,64")
                      ->delimiter(',')
                      ->allow_extra_args(false)
                      ->check(kNotEmpty)
                      ->check(CLI::Range(1, 1'000'000).description(""))
                      ->needs(peak);
  auto* network = app.add_option("--network-bandwidth", device.network.bandwidth_gigabytes,
                                 "GB/s from each device to the next, in each direction")
                      ->check(positive)
                      ->needs(devices);
  auto* latency = app.add_option("--network-latency", device.network.latency_microseconds,
                                 "Microseconds that a message to the next device takes, however short")
                      ->check(positive)
                      ->needs(devices);
  devices->needs(network)->needs(latency);
}

void print_update_time(const Subject& subject, const DeviceFigures& device, double length,
                       const std::string& precision, bool as_json) {
  const auto& [experiment, vocabulary] = subject;
  if (const auto unknown = models::unpredicted(experiment.model))
    throw InputError(fmt::format(
        "--device-peak: expected a model of the paper's parts, whose operations are known, found {}",
        *unknown));
  if (experiment.train.r_drop > 0)
    throw InputError(
        fmt::format("train.r_drop: --device-peak reckons with one pass a batch: expected 0, found {}",
                    experiment.train.r_drop));
  if (experiment.train.optimizer == train::OptimizerKind::muon)
    throw InputError(
        "train.optimizer: --device-peak reckons with steps number by number: expected adamw, adam or sgd, "
        "found "
        "muon");
  const auto tokens = train::tokens_of_update(experiment.train, length);
  const auto micro_tokens = static_cast<double>(train::reckoned_micro_tokens(experiment.train));
  const models::UpdateShape shape{.tokens = tokens,
                                  .length = length,
                                  .micro_batches = std::max(1.0, std::ceil(tokens / micro_tokens)),
                                  .element = is_half(precision) ? 2.0 : 4.0,
                                  .kept_numbers = train::kept_numbers(experiment.train)};
  const models::Device speeds{.flops_per_second = device.peak_teraflops * 1e12,
                              .bytes_per_second = device.bandwidth_gigabytes * 1e9,
                              .launch_seconds = device.launch_microseconds * 1e-6};
  const auto time = models::predict_update(experiment.model, vocabulary, shape, speeds);
  const auto scaling = predict_scaling(subject, shape, speeds, device.network);
  if (as_json) {
    print_json(time, scaling);
    return;
  }
  print_text(time, shape, precision, experiment.train);
  if (!scaling.empty()) print_scaling(subject, scaling, device.network);
}

}  // namespace transformer::apps

#include "apps/inspect/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "transformer/base/error.h"

namespace transformer::apps {
namespace {

double bytes_of(distributed::Wire wire) {
  switch (wire) {
    case distributed::Wire::fp32:
      return 4;
    case distributed::Wire::bf16:
      return 2;
  }
  no_such_choice();
}

}  // namespace

std::vector<models::ScaledUpdate> predict_scaling(const Subject& subject, const models::UpdateShape& shape,
                                                  const models::Device& device,
                                                  const NetworkFigures& network) {
  const auto sentences = std::max<std::int64_t>(1, static_cast<std::int64_t>(shape.tokens / shape.length));
  std::vector<models::ScaledUpdate> updates;
  for (const auto devices : network.devices) {
    if (devices > sentences)
      throw InputError(fmt::format(
          "--devices: expected at most one for each sentence of an update, {} of {} tokens, found {}",
          sentences, shape.length, devices));
    updates.push_back(models::predict_scaled_update(
        subject.experiment.model, subject.vocabulary, shape,
        {.devices = static_cast<double>(devices),
         .device = device,
         .network = {.bytes_per_second = network.bandwidth_gigabytes * 1e9,
                     .latency_seconds = network.latency_microseconds * 1e-6,
                     .number_bytes = bytes_of(subject.experiment.distributed.gradients)}}));
  }
  return updates;
}

void print_scaling(const Subject& subject, const std::vector<models::ScaledUpdate>& updates,
                   const NetworkFigures& network) {
  fmt::print(
      "\nthe update shared by devices in a ring, {} GB/s and {} µs from each to the next: predicted, not "
      "measured\n"
      "gradients: {:.1f} MB in {}, {:.0f} buckets\n\n",
      network.bandwidth_gigabytes, network.latency_microseconds, updates.front().bytes / 1e6,
      distributed::name_of(subject.experiment.distributed.gradients), updates.front().buckets);
  fmt::print("  {:>7}  {:^21}  {:>9}  {:^31}  {:>9}  {:>8}  {:>10}\n", "", "of each device", "computing",
             "communication, ms", "update", "", "efficiency");
  fmt::print("  {:>7}  {:>7} {:>13}  {:>9}  {:>9} {:>10} {:>10}  {:>9}  {:>8}  {:>10}\n", "devices", "tokens",
             "micro-batches", "ms", "all", "hidden", "exposed", "ms", "speed-up", "%");
  for (const auto& update : updates)
    fmt::print(
        "  {:>7.0f}  {:>7.0f} {:>13.0f}  {:>8.2f}{} {:>10.2f} {:>10.2f} {:>10.2f}  {:>9.2f}  {:>8.1f}  "
        "{:>10.1f}\n",
        update.devices, update.share.tokens, update.share.micro_batches, update.computing.seconds() * 1e3,
        update.launches_limit() ? '*' : ' ', update.communication_seconds * 1e3,
        update.hidden_seconds() * 1e3, update.exposed_seconds * 1e3, update.seconds() * 1e3,
        update.speed_up(), 100 * update.efficiency);
  if (std::ranges::any_of(updates, &models::ScaledUpdate::launches_limit))
    fmt::print("\n* the host's launches, which fewer tokens do not shorten\n");
  if (subject.experiment.distributed.shard_moments)
    fmt::print("\nnot in it: what distributed.shard_moments saves in the step and sends after it\n");
}

nlohmann::ordered_json scaling_to_json(const std::vector<models::ScaledUpdate>& updates) {
  nlohmann::ordered_json out;
  for (const auto& update : updates)
    out.push_back({{"devices", update.devices},
                   {"tokens_per_device", update.share.tokens},
                   {"micro_batches_per_device", update.share.micro_batches},
                   {"gradient_bytes", update.bytes},
                   {"buckets", update.buckets},
                   {"device_seconds", update.computing.device_seconds},
                   {"host_seconds", update.computing.host_seconds},
                   {"computing_seconds", update.computing.seconds()},
                   {"communication_seconds", update.communication_seconds},
                   {"hidden_seconds", update.hidden_seconds()},
                   {"exposed_seconds", update.exposed_seconds},
                   {"predicted_seconds", update.seconds()},
                   {"speed_up", update.speed_up()},
                   {"efficiency", update.efficiency}});
  return out;
}

}  // namespace transformer::apps

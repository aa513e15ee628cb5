#include "transformer/models/scaling_time.h"

#include <algorithm>
#include <cmath>

namespace transformer::models {
namespace {

constexpr double kFp32 = 4;
constexpr double kFirstBytes = 1 << 20, kBucketBytes = 25 << 20;

/// When the backward pass of each part is through, in seconds after the first began. They run from the last.
std::vector<double> completion_times(const UpdateTime& update, double launch_seconds) {
  const bool launches_limit = update.host_seconds > update.device_seconds;
  std::vector<double> completed(update.backward.size());
  double now = 0;
  for (std::size_t part = completed.size(); part-- > 0;) {
    const auto& [launches, seconds] = update.backward[part];
    completed[part] = now += launches_limit ? launches * launch_seconds : seconds;
  }
  return completed;
}

}  // namespace

double ring_seconds(double bytes, double devices, const Network& network) {
  const double steps = 2 * (devices - 1);
  return steps / devices * bytes / network.bytes_per_second + steps * network.latency_seconds;
}

std::vector<Bucket> gradient_buckets(const std::vector<TrainedTensor>& tensors,
                                     const std::vector<double>& completed) {
  std::vector<Bucket> buckets;
  for (auto i = tensors.size(); i-- > 0;) {
    const auto& [numbers, part] = tensors[i];
    const double full = buckets.size() == 1 ? kFirstBytes : kBucketBytes;
    if (buckets.empty() || kFp32 * buckets.back().numbers >= full) buckets.emplace_back();
    auto& bucket = buckets.back();
    bucket.numbers += static_cast<double>(numbers);
    bucket.ready_seconds = std::max(bucket.ready_seconds, completed.at(static_cast<std::size_t>(part)));
  }
  return buckets;
}

double communication_end(const std::vector<Bucket>& buckets, double devices, const Network& network) {
  double end = 0;
  for (const auto& bucket : buckets)
    end = std::max(end, bucket.ready_seconds) +
          ring_seconds(network.number_bytes * bucket.numbers, devices, network);
  return end;
}

ScaledUpdate predict_scaled_update(const ModelOptions& options, const VocabularySizes& vocabulary,
                                   const UpdateShape& shape, const Cluster& cluster) {
  const auto& [devices, device, network] = cluster;
  ScaledUpdate scaled;
  scaled.devices = devices;
  scaled.share = shape;
  scaled.share.tokens = shape.tokens / devices;
  scaled.share.micro_batches = std::ceil(shape.micro_batches / devices);
  scaled.computing = predict_update(options, vocabulary, scaled.share, device);

  const auto completed = completion_times(scaled.computing, device.launch_seconds);
  const auto buckets = gradient_buckets(trained_tensors(options, vocabulary), completed);
  scaled.buckets = static_cast<double>(buckets.size());
  for (const auto& bucket : buckets) {
    const double bytes = network.number_bytes * bucket.numbers;
    scaled.bytes += bytes;
    scaled.communication_seconds += ring_seconds(bytes, devices, network);
  }
  // The last gradient of all is that of the first part.
  scaled.exposed_seconds = std::max(0.0, communication_end(buckets, devices, network) - completed.front());
  const double alone = predict_update(options, vocabulary, shape, device).seconds();
  scaled.efficiency = alone / (devices * scaled.seconds());
  return scaled;
}

}  // namespace transformer::models

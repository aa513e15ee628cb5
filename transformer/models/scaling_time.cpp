#include "transformer/models/scaling_time.h"

#include <algorithm>
#include <cmath>

namespace transformer::models {
namespace {

constexpr double kBytes = 4;  ///< of a gradient, fp32
constexpr double kFirstBytes = 1 << 20, kBucketBytes = 25 << 20;

/// When the backward pass of each step is through, in seconds after the first began. They run from the last.
std::vector<double> completion_times(const UpdateTime& update, const std::vector<TensorInfo>& tensors,
                                     const Device& device) {
  auto steps = update.backward;
  for (const auto& tensor : tensors) {  // added to their buckets
    auto& cost = steps.at(static_cast<std::size_t>(tensor.step));
    cost.launches += 1;
    cost.seconds += 3 * kBytes * static_cast<double>(tensor.numbers()) / device.bytes_per_second;
  }
  const bool launches_limit = update.host_seconds > update.device_seconds;
  std::vector<double> completed(steps.size());
  double now = 0;
  for (auto step = steps.size(); step-- > 0;)
    completed[step] = now +=
        launches_limit ? steps[step].launches * device.launch_seconds : steps[step].seconds;
  return completed;
}

}  // namespace

double ring_seconds(double bytes, double devices, const Network& network) {
  const double steps = 2 * (devices - 1);
  return steps / devices * bytes / network.bytes_per_second + steps * network.latency_seconds;
}

std::vector<Bucket> gradient_buckets(const std::vector<TensorInfo>& tensors) {
  std::vector<Bucket> buckets;
  for (auto i = tensors.size(); i-- > 0;) {
    const auto step = tensors[i].step;
    const double full = buckets.size() == 1 ? kFirstBytes : kBucketBytes;
    if (buckets.empty() || kBytes * buckets.back().numbers >= full) buckets.push_back({.step = step});
    auto& bucket = buckets.back();
    bucket.numbers += static_cast<double>(tensors[i].numbers());
    bucket.step = std::min(bucket.step, step);
  }
  return buckets;
}

double communication_end(const std::vector<Bucket>& buckets, const std::vector<double>& completed,
                         double devices, const Network& network) {
  double end = 0;
  for (const auto& [numbers, step] : buckets)
    end = std::max(end, completed.at(static_cast<std::size_t>(step))) +
          ring_seconds(network.number_bytes * numbers, devices, network);
  return end;
}

ScaledUpdate predict_scaled_update(const ModelOptions& options, const VocabularySizes& vocabulary,
                                   const UpdateShape& shape, const Cluster& cluster) {
  const auto& [devices, device, network] = cluster;
  const auto tensors = tensors_of(options, vocabulary);
  const auto buckets = gradient_buckets(tensors);
  ScaledUpdate scaled;
  scaled.devices = devices;
  scaled.share = shape;
  scaled.buckets = static_cast<double>(buckets.size());
  scaled.share.tokens = shape.tokens / devices;
  scaled.share.micro_batches = std::ceil(shape.micro_batches / devices);
  if (devices > 1) scaled.share.buckets = scaled.buckets;
  scaled.computing = predict_update(options, vocabulary, scaled.share, device);

  for (const auto& bucket : buckets) {
    const double bytes = network.number_bytes * bucket.numbers;
    scaled.bytes += bytes;
    scaled.communication_seconds += ring_seconds(bytes, devices, network);
  }
  const auto completed = completion_times(scaled.computing, tensors, device);
  // The last gradient of all is that of the first step.
  scaled.exposed_seconds =
      std::max(0.0, communication_end(buckets, completed, devices, network) - completed.front());
  const double alone = predict_update(options, vocabulary, shape, device).seconds();
  scaled.efficiency = alone / (devices * scaled.seconds());
  return scaled;
}

}  // namespace transformer::models

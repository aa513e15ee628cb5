// Predicts the time of an update on N devices that share its sentences (data-parallel training, strong
// scaling). Free of LibTorch.
//
// Each device computes what update_time.h predicts for an N-th of the update's tokens, in ⌈m / N⌉
// micro-batches if one device needs m. The gradients are added to zeros in buckets, which are filled in the
// reverse order of the parameters, and are averaged. A bucket of B bytes takes, in a ring,
//     2 (N - 1) / N · B / bandwidth + 2 (N - 1) · latency.
//
// Buckets are sent one after another, each when the last micro-batch's backward pass has completed its
// gradients. A step of that pass, with the additions to its buckets, takes the device's time for its
// operations, or the time of their launches if launches limit the whole update. Sending is hidden during the
// pass and exposed after it:
//     update = computing + exposed,    efficiency = update on one device / (N · update on N devices).
//
// The prediction leaves out:
// * rounding to bf16, and other numbers that are exchanged.
// * moments divided among devices.
// * an additional micro-batch from cutting.
// * devices that wait for one with longer sentences.
// * the device time that sending itself takes.
// * algorithms other than the ring.
#pragma once

#include <vector>

#include "transformer/models/tensors.h"
#include "transformer/models/update_time.h"

namespace transformer::models {

/// Between neighbours in the ring.
struct Network {
  double bytes_per_second = 0;  ///< of each device, in each direction
  double latency_seconds = 0;   ///< of a message, however short
  double number_bytes = 4;      ///< of a gradient's number when it is sent: 4 in fp32, 2 in bf16
};

struct Cluster {
  double devices = 1;
  Device device;
  Network network;
};

/// To average so many bytes over all devices. Nothing on one.
double ring_seconds(double bytes, double devices, const Network& network);

/// Gradients that are sent together.
struct Bucket {
  double numbers = 0;
  std::int64_t step = 0;  ///< the first of its tensors', whose backward pass completes it (tensors.h)
};

/// The first is closed by the tensor with which it reaches 1 MiB in fp32, each other by the one with which it
/// reaches 25 MiB. No tensor is cut.
std::vector<Bucket> gradient_buckets(const std::vector<TensorInfo>& tensors);

/// When the last bucket is averaged. completed: when the backward pass of each step is through; all in
/// seconds after the first of these began.
double communication_end(const std::vector<Bucket>& buckets, const std::vector<double>& completed,
                         double devices, const Network& network);

struct ScaledUpdate {
  double devices = 1;
  UpdateShape share;     ///< of one device
  UpdateTime computing;  ///< of that share
  double buckets = 0;    ///< of the gradients
  double bytes = 0;      ///< of all of them when they are sent
  double communication_seconds = 0;
  double exposed_seconds = 0;
  double efficiency = 1;

  /// Whether the device waits for the host, however few tokens it has.
  bool launches_limit() const { return computing.host_seconds > computing.device_seconds; }
  double hidden_seconds() const { return communication_seconds - exposed_seconds; }
  double seconds() const { return computing.seconds() + exposed_seconds; }
  /// Over one device.
  double speed_up() const { return efficiency * devices; }
};

/// The shape is that of the whole update on one device. The options are those of predict_update().
ScaledUpdate predict_scaled_update(const ModelOptions& options, const VocabularySizes& vocabulary,
                                   const UpdateShape& shape, const Cluster& cluster);

}  // namespace transformer::models

// Predicts the time of a training update on a device from its floating-point operations, bytes and launches.
// Free of LibTorch.
//
// An operation takes the larger of its arithmetic's and its memory traffic's time. The host launches
// operations one after another, and an update takes the larger of the device's and the host's time. The
// device has own kernels (gpu/kernel.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "transformer/models/options.h"

namespace transformer::models {

struct Device {
  double flops_per_second = 0;  ///< of large matrix products, in the precision of the training
  double bytes_per_second = 0;  ///< of its memory
  double launch_seconds = 0;    ///< that the host takes for an operation
};

/// The data of an update: its real tokens on each side, in sentences of equal length.
struct UpdateShape {
  double tokens = 25000;
  double length = 30;
  double micro_batches = 1;
  double element = 2;       ///< bytes of an activation: 2 in bf16 and fp16, 4 in fp32
  double kept_numbers = 2;  ///< numbers that the optimiser keeps for each trained one: 2 for Adam
  /// Buckets in which gradients are sent. Each micro-batch's gradients are added to them, the first one's to
  /// zeros. 0: a single device, which uses the first one's gradients as they are.
  double buckets = 0;
};

/// Operations of one kind, over the whole update.
struct OperationCost {
  std::string name;
  double launches = 0;
  double flops = 0;    ///< of matrix products
  double bytes = 0;    ///< read and written
  double seconds = 0;  ///< on the device
};

/// The backward pass of one step (tensors.h).
struct BackwardPart {
  double launches = 0;
  double seconds = 0;  ///< on the device
};

struct UpdateTime {
  std::vector<OperationCost> operations;
  /// Backward passes of the last micro-batch's steps, in the order of the forward pass (tensors.h), without
  /// the addition of gradients over micro-batches.
  std::vector<BackwardPart> backward;
  double launches = 0;
  double flops = 0;
  double bytes = 0;
  double device_seconds = 0;
  double host_seconds = 0;

  double seconds() const { return device_seconds > host_seconds ? device_seconds : host_seconds; }
};

/// The first option whose operations are not known, as "model.positions: rotary"; nothing if all are known.
std::optional<std::string> unpredicted(const ModelOptions& options);

/// The operations are those of training on a device that is not the CPU (ops/). Optimiser and norm of the
/// gradient are in it, evaluations and checkpoints are not.
UpdateTime predict_update(const ModelOptions& options, const VocabularySizes& vocabulary,
                          const UpdateShape& shape, const Device& device);

}  // namespace transformer::models

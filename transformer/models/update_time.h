// How long an update of training takes on a device, predicted from what it is made of: floating-point
// operations, bytes and launches. Free of LibTorch.
//
// An operation takes as long as the slower of its arithmetic and its memory traffic; the host launches one
// after another, and an update takes as long as the slower of the device and the host.
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

/// What is trained on: an update's real tokens on each side, in sentences of equal lengths.
struct UpdateShape {
  double tokens = 25000;
  double length = 30;
  double micro_batches = 1;
  double element = 2;       ///< bytes of an activation: 2 in bf16 and fp16, 4 in fp32
  double kept_numbers = 2;  ///< by the optimiser for each number that is trained: Adam's two moments
  /// In which gradients lie to be sent, so that each micro-batch's are added, the first one's to zeros. 0: on
  /// a device alone, which takes the first one's as they are.
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
  /// Of the last micro-batch, in the order of the forward pass (tensors.h). Adding up micro-batches'
  /// gradients is not in it.
  std::vector<BackwardPart> backward;
  double launches = 0;
  double flops = 0;
  double bytes = 0;
  double device_seconds = 0;
  double host_seconds = 0;

  double seconds() const { return device_seconds > host_seconds ? device_seconds : host_seconds; }
};

/// The first option of which it is not known what it is made of, as "model.positions: rotary"; nothing if all
/// are known.
std::optional<std::string> unpredicted(const ModelOptions& options);

/// The operations are those of training on a device that is not the CPU (ops/). Optimiser and norm of the
/// gradient are in it, evaluations and checkpoints are not.
UpdateTime predict_update(const ModelOptions& options, const VocabularySizes& vocabulary,
                          const UpdateShape& shape, const Device& device);

}  // namespace transformer::models

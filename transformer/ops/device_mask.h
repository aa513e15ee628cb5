// Masks of dropout on devices that have own kernels: those of the CPU, where rows are positions of examples.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>

#include "transformer/gpu/source/row_mask.h"

namespace transformer::ops {

/// What a kernel computes a mask from; kept for the backward pass.
struct DeviceMask {
  torch::Tensor examples, places;  ///< (N) of the rows; undefined where nothing is dropped
  torch::Tensor seed;              ///< (1), 64 bits: the bits of the update's
  std::int64_t number = 0;         ///< of the dropout in the update
  double p = 0;

  /// It refers to the tensors.
  gpu::RowMask rows() const;
};

/// The mask of the next dropout of x, a tensor (N, D). There is one in a DropoutScope, among packed rows that
/// know their examples (Sequences), and where p is 0. Else there is nothing, and no seed is drawn.
std::optional<DeviceMask> draw_device_mask(const torch::Tensor& x, double p);

/// Dropout by an own kernel; nothing where the device has none, or no mask for it.
std::optional<torch::Tensor> device_dropout(const torch::Tensor& x, double p);

}  // namespace transformer::ops

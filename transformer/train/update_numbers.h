// What differs from one update to the next besides its batch.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace transformer::train {

/// On the device that computes, so that a graph of an update (update_graphs.h) finds them there.
struct UpdateNumbers {
  torch::Tensor divisor;  ///< of the sum of the losses, (), fp64
  torch::Tensor rate;     ///< the learning rate, (), fp32; undefined on the CPU, where the host's is used
  torch::Tensor seed;     ///< of dropout's masks (ops::DropoutScope), (1), 64 bits; undefined on the CPU
  torch::Tensor memory;   ///< of all three
};

/// In one copy, which the host does not wait for.
UpdateNumbers update_numbers(double divisor, double rate, std::uint64_t seed, const torch::Device& device);

}  // namespace transformer::train

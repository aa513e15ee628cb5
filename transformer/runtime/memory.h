// Where the CPU's tensors get their memory from.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <exception>
#include <optional>

namespace transformer::runtime {

/// From now on, tensors take their memory as base/large_memory.h gives it: what they give back is kept for
/// the next ones instead of being returned to the system and faulted in again at each step; a sixth to a
/// quarter of a training step's time. All programs that train call it once, before the first tensor.
void keep_freed_memory();

/// Bytes held at most so far: of tensors on a device whose allocator counts them, as CUDA's does, or of the
/// whole process.
double peak_memory(const torch::Device& device);

/// Bytes of a device's memory that nobody holds, other programs included. Nothing where that is not told: of
/// the CPU, of devices whose allocators do not say, and by LibTorch before 2.10.
std::optional<std::int64_t> free_memory(const torch::Device& device);

/// The memory that a device's allocator keeps for later tensors goes back to the device, and peak_memory
/// begins anew. On the CPU nothing happens.
void release_kept_memory(const torch::Device& device);

/// Whether an exception says that memory was too short, on the host or on a device. Less may then succeed.
bool is_out_of_memory(const std::exception& error);

}  // namespace transformer::runtime

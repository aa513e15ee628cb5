// Where the CPU's tensors get their memory from.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <exception>
#include <optional>

namespace transformer::runtime {

/// From now on, tensors take their memory from base/large_memory.h. Freed memory is kept for the next
/// tensors. The system need not take it back and fault it in again at each step, which saves a sixth to a
/// quarter of a training step's time. All programs that train call this once, before the first tensor.
void keep_freed_memory();

/// Peak use so far in bytes. It counts tensors on a device whose allocator counts them, as CUDA's does, else
/// the whole process.
double peak_memory(const torch::Device& device);

/// Bytes of a device's memory that no program uses. Nothing if that is unknown: for the CPU, for devices
/// whose allocators do not say, and with LibTorch before 2.10.
std::optional<std::int64_t> free_memory(const torch::Device& device);

/// Returns memory that a device's allocator keeps for later tensors, and restarts peak_memory. Does nothing
/// on the CPU.
void release_kept_memory(const torch::Device& device);

/// Whether an exception says that memory was too short, on the host or on a device. Less may then succeed.
bool is_out_of_memory(const std::exception& error);

}  // namespace transformer::runtime

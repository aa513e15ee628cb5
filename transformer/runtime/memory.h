// Where the CPU's tensors get their memory from.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <exception>

namespace transformer::runtime {

/// From now on, tensors of 32 KiB and more lie in one range of addresses (arena.h), in huge pages where the
/// system has them, and what they give back is kept for the next ones instead of being returned to the system
/// and faulted in again at each step; a sixth to a quarter of a training step's time. All programs that train
/// call it once, before the first tensor. Where the process's addresses are limited, the C library serves
/// all.
///
/// What is kept is bounded: all together is at most a quarter more than was ever in use at a time.
void keep_freed_memory();

struct MemoryUse {
  std::int64_t in_use = 0;  ///< bytes of living tensors, as far as this allocator serves them
  std::int64_t most = 0;    ///< the most there ever were
  std::int64_t kept = 0;    ///< given back, and kept for the next
};

MemoryUse memory_use();

/// Bytes held at most so far: of tensors on a GPU, or of the whole process.
double peak_memory(const torch::Device& device);

/// Whether an exception says that memory was too short, on the host or on a device. Less may then succeed.
bool is_out_of_memory(const std::exception& error);

}  // namespace transformer::runtime

// Memory for large arrays: tensors of a training, weights and working memory of the engine.
#pragma once

#include <cstddef>

namespace transformer {

/// `bytes` of uninitialised memory at a multiple of 64. 32 KiB and more come from one range of addresses
/// (arena.h), in huge pages where the system has them. Memory of that range that is given back is kept for
/// the next request, up to a quarter more than the peak use. Smaller requests go to the C library, and so do
/// all if the process's addresses are limited. Null if there is not enough memory. Safe on any thread.
void* take_large_memory(std::size_t bytes);

/// Not for null.
void give_back_large_memory(void* memory);

/// Bytes in that range.
struct LargeMemoryUse {
  std::size_t in_use = 0;
  std::size_t most = 0;  ///< that ever were in use
  std::size_t kept = 0;  ///< given back, and kept for the next
};

LargeMemoryUse large_memory_use();

}  // namespace transformer

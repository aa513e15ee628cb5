// Where large arrays get their memory from: tensors of a training, weights and working memory of the engine.
#pragma once

#include <cstddef>

namespace transformer {

/// `bytes` of memory at a multiple of 64, not initialised; 32 KiB and more lie in one range of addresses
/// (arena.h), in huge pages where the system has them, and what is given back is kept for whoever comes next:
/// at most a quarter more than was ever in use at a time. Smaller ones, and all where the process's addresses
/// are limited, are the C library's. Null where there is not so much. For any thread.
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

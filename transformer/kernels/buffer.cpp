#include "transformer/kernels/buffer.h"

#include <new>

#include "transformer/base/large_memory.h"

namespace transformer::kernels {

void* reserve_memory(std::size_t bytes) {
  void* memory = take_large_memory(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release_memory(void* memory) {
  give_back_large_memory(memory);
}

}  // namespace transformer::kernels

#include "transformer/kernels/buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace transformer::kernels {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* reserve_memory(std::size_t bytes) {
  const std::size_t unit = bytes >= kHugePage ? kHugePage : 64;
  if (bytes > SIZE_MAX - unit) throw std::bad_alloc();
  const auto size = round_up(bytes, unit);
  void* memory = std::aligned_alloc(unit, size);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (unit == kHugePage) madvise(memory, size, MADV_HUGEPAGE);  // a hint: its failure is no harm
#endif
  return memory;
}

void release_memory(void* memory) {
  std::free(memory);
}

}  // namespace transformer::kernels

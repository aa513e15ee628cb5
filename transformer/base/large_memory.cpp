#include "transformer/base/large_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <tuple>
#include <utility>

#include "transformer/base/arena.h"

namespace transformer {
namespace {

constexpr std::size_t kSmallest = 32 << 10;
constexpr std::size_t kHeader = Arena::kAlignment;  // before each block: its size

/// As many addresses as the machine has memory; none where addresses are limited.
std::size_t addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return 0;
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct Shared {
  std::mutex mutex;
  Arena arena{addresses()};
};

Shared& shared() {
  static auto* const all = new Shared;  // arrays may outlive all other static objects
  return *all;
}

std::pair<char*, std::size_t> of_arena(std::size_t bytes) {
  const std::lock_guard lock(shared().mutex);
  return shared().arena.take(bytes);
}

std::pair<char*, std::size_t> of_system(std::size_t bytes) {
  const auto size = (bytes + kHeader - 1) / kHeader * kHeader;
  return {static_cast<char*>(std::aligned_alloc(kHeader, size)), size};
}

}  // namespace

void* take_large_memory(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return nullptr;
  bytes += kHeader;
  auto [block, size] = bytes < kSmallest ? std::pair<char*, std::size_t>{} : of_arena(bytes);
  if (block == nullptr) std::tie(block, size) = of_system(bytes);
  if (block == nullptr) return nullptr;
  std::memcpy(block, &size, sizeof size);
  return block + kHeader;
}

void give_back_large_memory(void* memory) {
  char* const block = static_cast<char*>(memory) - kHeader;
  auto& all = shared();
  if (!all.arena.contains(block)) return std::free(block);
  std::size_t size = 0;
  std::memcpy(&size, block, sizeof size);
  const std::lock_guard lock(all.mutex);
  all.arena.give_back(block, size);
}

LargeMemoryUse large_memory_use() {
  auto& all = shared();
  const std::lock_guard lock(all.mutex);
  return {all.arena.in_use(), all.arena.most_in_use(), all.arena.idle()};
}

}  // namespace transformer

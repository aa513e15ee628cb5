#include "transformer/runtime/memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <malloc.h>
#include <sys/mman.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string_view>

#include "transformer/base/peak_memory.h"

namespace transformer::runtime {
namespace {

constexpr std::size_t kSmallest = 32 << 10;  // smaller ones are the C library's
constexpr std::size_t kLarge = 2 << 20;
constexpr std::size_t kHeader = 64;  // before each block: its size; keeps the block aligned for any vector

/// Rounded up to one of eight sizes between a power of two and the next.
std::size_t size_class(std::size_t bytes) {
  const auto step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

class KeepingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* data = bytes == 0 ? nullptr : take(bytes + kHeader);
    return {data, data, &KeepingAllocator::give_back, c10::DeviceType::CPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &KeepingAllocator::give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

  MemoryUse use() {
    const std::lock_guard lock(mutex_);
    return {static_cast<std::int64_t>(in_use_), static_cast<std::int64_t>(most_),
            static_cast<std::int64_t>(kept_)};
  }

  static KeepingAllocator& instance() {
    static auto* const allocator = new KeepingAllocator;  // tensors may outlive all other static objects
    return *allocator;
  }

 private:
  void* take(std::size_t bytes) {
    auto size = bytes < kSmallest ? bytes : size_class(bytes);
    auto* block = static_cast<char*>(size < kSmallest ? fresh(size) : kept_or_fresh(size));
    std::memcpy(block, &size, sizeof size);
    return block + kHeader;
  }

  static void give_back(void* data) {
    if (data == nullptr) return;
    char* block = static_cast<char*>(data) - kHeader;
    std::size_t size = 0;
    std::memcpy(&size, block, sizeof size);
    if (size < kSmallest)
      std::free(block);
    else
      instance().keep(block, size);
  }

  /// The size may become that of a somewhat larger block.
  void* kept_or_fresh(std::size_t& size) {
    const std::lock_guard lock(mutex_);
    const auto found = free_.lower_bound(size);
    const bool fits = found != free_.end() && found->first <= size + size / 2;
    if (fits) size = found->first;
    in_use_ += size;
    most_ = std::max(most_, in_use_);
    if (!fits) {
      // Sizes change from batch to batch: what no batch asks for any more must not add up.
      while (!free_.empty() && in_use_ + kept_ > most_ + most_ / 4) release_oldest();
      return fresh(size);
    }
    void* block = found->second.block;
    free_.erase(found);
    kept_ -= size;
    return block;
  }

  void keep(char* block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    in_use_ -= size;
    kept_ += size;
    free_.emplace(size, Kept{block, ++clock_});
  }

  void release_oldest() {
    const auto oldest =
        std::ranges::min_element(free_, {}, [](const auto& entry) { return entry.second.since; });
    kept_ -= oldest->first;
    end(oldest->second.block, oldest->first);
    free_.erase(oldest);
  }

  static void* fresh(std::size_t size) {
    // Large blocks are the system's own, so that releasing them leaves no holes between others.
    void* block = size >= kLarge
                      ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : std::aligned_alloc(kHeader, (size + kHeader - 1) / kHeader * kHeader);
    TORCH_CHECK_WITH(OutOfMemoryError, block != nullptr && block != MAP_FAILED, "no memory for a tensor of ",
                     size, " bytes");
    return block;
  }

  static void end(void* block, std::size_t size) {
    if (size >= kLarge)
      munmap(block, size);
    else
      std::free(block);
  }

  std::mutex mutex_;
  struct Kept {
    void* block;
    std::uint64_t since;
  };
  std::multimap<std::size_t, Kept> free_;  // by size
  std::uint64_t clock_ = 0;
  std::size_t in_use_ = 0, most_ = 0, kept_ = 0;
};

c10::DeviceIndex index_of(const torch::Device& device) {
  return device.has_index() ? device.index() : c10::DeviceIndex{0};
}

/// What `ask` answers for the device's allocator, where that is one that counts.
template <typename Answer, typename Ask>
Answer ask_allocator([[maybe_unused]] const torch::Device& device, Answer otherwise,
                     [[maybe_unused]] const Ask& ask) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
  auto* allocator =
      device.is_cpu() ? nullptr : dynamic_cast<c10::DeviceAllocator*>(c10::GetAllocator(device.type()));
  if (allocator) return ask(*allocator);
#endif
  return otherwise;
}

}  // namespace

void keep_freed_memory() {
  // For what does not come from here, such as oneDNN's working memory.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_ARENA_MAX, 1);
  c10::SetCPUAllocator(&KeepingAllocator::instance(), /*priority=*/100);
}

MemoryUse memory_use() {
  return KeepingAllocator::instance().use();
}

double peak_memory(const torch::Device& device) {
  return ask_allocator(device, transformer::peak_memory(), [&](auto& allocator) {
    return static_cast<double>(
        allocator.getDeviceStats(index_of(device)).allocated_bytes[0].peak);  // all pools
  });
}

std::optional<std::int64_t> free_memory(const torch::Device& device) {
  const std::optional<std::int64_t> untold;
  return ask_allocator(device, untold, [&](auto& allocator) {
    if constexpr (requires { allocator.getMemoryInfo(index_of(device)); }) {
      try {
        return std::optional(static_cast<std::int64_t>(allocator.getMemoryInfo(index_of(device)).first));
      } catch (const c10::NotImplementedError&) {
        return untold;
      }
    }
    return untold;
  });
}

void release_kept_memory(const torch::Device& device) {
  ask_allocator(device, true, [&](auto& allocator) {
    allocator.emptyCache();
    allocator.resetPeakStats(index_of(device));
    return true;
  });
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) || dynamic_cast<const std::bad_alloc*>(&error))
    return true;
  // These have no type of exception of their own: LibTorch's CPU allocator; CUDA, where something else than
  // LibTorch's allocator asks it for memory; cuBLAS; cuDNN until and since version 9.
  static constexpr std::array<std::string_view, 6> kWords = {
      "DefaultCPUAllocator",
      "CUDA error: out of memory",
      "CUBLAS_STATUS_ALLOC_FAILED",
      "CUDNN_STATUS_ALLOC_FAILED",
      "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED",
      "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"};
  const std::string_view what = error.what();
  return std::ranges::any_of(kWords, [&](auto words) { return what.find(words) != std::string_view::npos; });
}

}  // namespace transformer::runtime

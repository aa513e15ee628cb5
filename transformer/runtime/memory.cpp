#include "transformer/runtime/memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <malloc.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>

#include "transformer/base/large_memory.h"
#include "transformer/base/peak_memory.h"

namespace transformer::runtime {
namespace {

class KeepingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &give_back, c10::DeviceType::CPU};
    void* data = take_large_memory(bytes);
    TORCH_CHECK_WITH(OutOfMemoryError, data != nullptr, "no memory for a tensor of ", bytes, " bytes");
    return {data, data, &give_back, c10::DeviceType::CPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

 private:
  static void give_back(void* data) {
    if (data != nullptr) give_back_large_memory(data);
  }
};

c10::DeviceIndex index_of(const torch::Device& device) {
  return device.has_index() ? device.index() : c10::DeviceIndex{0};
}

/// The result of `ask` for the device's allocator, or `otherwise` if that allocator does not count memory.
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
  static auto* const allocator = new KeepingAllocator;  // tensors may outlive all other static objects
  c10::SetCPUAllocator(allocator, /*priority=*/100);
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
  // Some allocations that fail have no exception type of their own. They are those of LibTorch's CPU
  // allocator, of CUDA outside of LibTorch's allocator, of cuBLAS, and of cuDNN before and since version 9.
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

#include "tests/fake_device/memory.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/fake_device/fake_device.h"
#include "tests/fake_device/streams.h"

namespace transformer::test::fake_device {
namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;

/// Addresses of the device, and as far from them those by which the host reaches the same bytes.
struct Views {
  static constexpr std::size_t kSize = std::size_t{1} << 36;  // of addresses; pages come as they are used
  char* device = nullptr;
  char* host = nullptr;

  Views() {
    const int file = memfd_create("fake device", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, kSize) != 0) throw std::bad_alloc();
    device = map(file, PROT_NONE);
    host = map(file, PROT_READ | PROT_WRITE);
    close(file);
  }

  static char* map(int file, int access) {
    void* const memory = mmap(nullptr, kSize, access, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(memory);
  }
};

const Views& views() {
  static const Views all;
  return all;
}

/// Who has which memory. Never destroyed: tensors may outlive it.
struct Blocks {
  std::mutex mutex;
  std::unordered_map<void*, std::size_t> sizes;  ///< as they were asked for, by address
  std::array<std::vector<void*>, 64> free;       ///< those of 2^i bytes
  std::size_t used = 0;                          ///< of the addresses; beyond, nobody had any
  MemoryUse use;

  Blocks() {
    if (const char* bytes = std::getenv("FAKE_DEVICE_MEMORY")) use.capacity = std::stoll(bytes);
  }

  static Blocks& all() {
    static auto* blocks = new Blocks;
    return *blocks;
  }

  static std::size_t rounded(std::size_t size) { return std::bit_ceil(std::max(size, std::size_t{64})); }
  std::vector<void*>& free_of(std::size_t size) {
    return free.at(static_cast<std::size_t>(std::countr_zero(rounded(size))));
  }

  void* take(std::size_t size) {
    void* memory = nullptr;
    if (auto& fitting = free_of(size); !fitting.empty()) {
      memory = fitting.back();
      fitting.pop_back();
    } else {
      if (rounded(size) > Views::kSize - used) throw std::bad_alloc();
      memory = views().device + used;
      used += rounded(size);
    }
    sizes[memory] = size;
    use.in_use += static_cast<std::int64_t>(size);
    use.most = std::max(use.most, use.in_use);
    return memory;
  }

  void give_back(void* memory) {
    const auto block = sizes.find(memory);
    use.in_use -= static_cast<std::int64_t>(block->second);
    free_of(block->second).push_back(memory);
    sizes.erase(block);
  }
};

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 10
/// What a GPU's allocator tells of its memory. This one keeps nothing for later tensors.
struct CountingAllocator : c10::DeviceAllocator {
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {
    const std::lock_guard lock(Blocks::all().mutex);
    ++Blocks::all().use.released;
  }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override {
    const auto use = memory_use();
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.allocated_bytes[0].current = use.in_use;
    stats.allocated_bytes[0].peak = use.most;
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {
    const std::lock_guard lock(Blocks::all().mutex);
    Blocks::all().use.most = Blocks::all().use.in_use;
  }
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex) override {
    const auto use = memory_use();
    return {use.capacity - use.in_use, use.capacity};
  }
};
#else
using CountingAllocator = c10::Allocator;
#endif

struct Allocator final : CountingAllocator {
  c10::DataPtr allocate(std::size_t size) override {
    void* memory = nullptr;
    if (size > 0) {
      auto& all = Blocks::all();
      const std::lock_guard lock(all.mutex);
      const auto& use = all.use;
      TORCH_CHECK_WITH(OutOfMemoryError, use.in_use + static_cast<std::int64_t>(size) <= use.capacity,
                       "fake device out of memory: ", size, " bytes asked for, ", use.in_use, " of ",
                       use.capacity, " in use");
      memory = all.take(size);
    }
    return {memory, memory, &give_back, device()};
  }
  static void give_back(void* memory) {
    if (!memory) return;
    auto& all = Blocks::all();
    const std::lock_guard lock(all.mutex);
    all.give_back(memory);
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t size) const override {
    std::memcpy(host_address(to), host_address(from), size);
  }
};

Allocator the_allocator;
REGISTER_ALLOCATOR(kType, &the_allocator)

c10::Stream default_stream() {
  return c10::Stream(c10::Stream::DEFAULT, device());
}

/// Of this thread.
c10::Stream& current_stream() {
  thread_local c10::Stream stream = default_stream();
  return stream;
}

/// When an event was recorded, and what its stream had to do then.
struct Event {
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
  Moment moment;
};

/// One device.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device) const override { return device(); }
  c10::Device getDevice() const override { return device(); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const override { return current_stream(); }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return std::exchange(current_stream(), stream);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override { return new_stream(); }
  void* getStreamNativeHandle(const c10::Stream stream) const override { return handle_of(stream); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    delete static_cast<Event*>(*event);
    *event = new Event{.moment = Moment(stream)};
  }
  double elapsedTime(void* begin, void* end, const c10::DeviceIndex) const override {
    return std::chrono::duration<double, std::milli>(static_cast<Event*>(end)->time -
                                                     static_cast<Event*>(begin)->time)
        .count();
  }
  void synchronizeEvent(void* event) const override { static_cast<Event*>(event)->moment.wait(); }
  void block(void* event, const c10::Stream& stream) const override {
    if (handle_of(stream) == nullptr) static_cast<Event*>(event)->moment.wait();
  }
  bool queryEvent(void* event) const override { return static_cast<Event*>(event)->moment.is_past(); }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
  }
  bool queryStream(const c10::Stream& stream) const override { return Moment(stream).is_past(); }
  void synchronizeStream(const c10::Stream& stream) const override { Moment(stream).wait(); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    static const at::Generator generator = at::detail::createCPUGenerator();
    return generator;
  }
  at::Generator getNewGenerator(c10::DeviceIndex) const override { return at::detail::createCPUGenerator(); }
  /// Pinned memory is any: nothing here moves by itself.
  c10::Allocator* getPinnedMemoryAllocator() const override { return c10::GetAllocator(c10::kCPU); }
  bool isPinnedPtr(const void*) const override { return true; }
};

/// LibTorch's autograd knows one kind of device besides the CPU: where a real one is tested this one keeps
/// silent.
const bool registered = [] {
  if (std::getenv("TRANSFORMER_TEST_DEVICE") != nullptr) return false;
  c10::register_privateuse1_backend("fake");
  static Hooks hooks;
  at::RegisterPrivateUse1HooksInterface(&hooks);
  return true;
}();

}  // namespace

void* host_address(const void* memory) {
  return memory ? views().host + (static_cast<const char*>(memory) - views().device) : nullptr;
}

c10::Device device() {
  return {kType, 0};
}

MemoryUse memory_use() {
  const std::lock_guard lock(Blocks::all().mutex);
  return Blocks::all().use;
}

void set_capacity(std::int64_t bytes) {
  const std::lock_guard lock(Blocks::all().mutex);
  Blocks::all().use.capacity = bytes;
}

Contents contents() {
  Contents all;
  const std::lock_guard lock(Blocks::all().mutex);
  for (const auto& [memory, size] : Blocks::all().sizes) {
    const auto* bytes = static_cast<const char*>(host_address(memory));
    all[memory].assign(bytes, bytes + size);
  }
  return all;
}

void set_contents(const Contents& contents) {
  const std::lock_guard lock(Blocks::all().mutex);
  for (const auto& [memory, size] : Blocks::all().sizes) {
    const auto found = contents.find(memory);
    if (found == contents.end() || found->second.size() != size)
      std::memset(host_address(memory), 0xff, size);
    else
      std::memcpy(host_address(memory), found->second.data(), size);
  }
}

c10::Allocator& allocator() {
  return the_allocator;
}

at::Tensor on_host(const at::Tensor& tensor) {
  if (!tensor.is_privateuseone()) return tensor;
  return at::from_blob(host_address(tensor.data_ptr()), tensor.sizes(), tensor.strides(),
                       tensor.options().device(at::kCPU).requires_grad(false));
}

}  // namespace transformer::test::fake_device

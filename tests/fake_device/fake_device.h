// A fake device that shows on a CPU what a GPU would refuse and what it would be asked to do.
//
// Its memory is the host's, but only operations and copies between devices may read or write it. Other code
// that follows a pointer into it dies of SIGSEGV. Each operation is computed by its CPU version and is
// counted. It is refused if its tensors lie on different devices. Copies are counted, too, and single numbers
// that a program reads back, since each would make it wait for a GPU.
//
// LibTorch and --device know the device as "fake" if the library is linked or preloaded (LD_PRELOAD). With
// FAKE_DEVICE_REPORT=FILE in the environment, a process writes its counts there when it ends. With
// FAKE_DEVICE_MEMORY=BYTES the device has that much memory, and further requests fail as they do in CUDA's
// allocator.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <map>
#include <string>

namespace transformer::test::fake_device {

c10::Device device();

struct Counts {
  std::int64_t launches = 0;   ///< operations, among them copies on the device
  std::int64_t to_device = 0;  ///< copies from the host
  std::int64_t to_host = 0;    ///< copies of whole tensors
  std::int64_t reads = 0;      ///< of single numbers (item)
  std::int64_t waits = 0;      ///< reads, and copies that the host waits for (not non_blocking)
  std::map<std::string, std::int64_t> operations;  ///< launches by their names

  /// The totals, then the operations, most frequent first, a line each.
  std::string table() const;
};

/// Since the start, or the last reset().
Counts counts();
void reset();

/// Of the device's memory, in bytes.
struct MemoryUse {
  std::int64_t capacity = std::int64_t{16} << 30U;
  std::int64_t in_use = 0;
  std::int64_t most = 0;      ///< the most there ever was in use, or since the allocator's peak was reset
  std::int64_t released = 0;  ///< how often the allocator was asked to give back what it keeps
};

MemoryUse memory_use();
void set_capacity(std::int64_t bytes);

}  // namespace transformer::test::fake_device

// A device that is none, to show on a CPU what a GPU would refuse, and what it would be asked to do.
//
// Its memory is the host's, but nobody may read or write it there, except a copy between devices and an
// operation: whoever takes a pointer to it and follows it dies of SIGSEGV. Each operation is computed by its
// version for CPUs, is refused where its tensors lie on different devices, and is counted. So are copies, and
// the numbers that a program reads back one by one, for each of which it would wait for a GPU.
//
// Where the library is linked or preloaded (LD_PRELOAD), LibTorch knows the device as "fake", and so does
// --device. With FAKE_DEVICE_REPORT=FILE in the environment a process writes its counts there when it ends;
// with FAKE_DEVICE_MEMORY=BYTES the device has so much memory. More is refused as CUDA's allocator refuses
// it.
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

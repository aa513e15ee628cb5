// Memory that the processes of one host have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace transformer::distributed {

class Group;

/// A part for each process, which all of them read and write. The memory has no name in any file system: it
/// goes with the last process that uses it, however that ends, and the size of /dev/shm does not limit it.
class SharedMemory {
 public:
  /// All processes call it with the same number of bytes, a part's. The parts are zeros. → null in all of
  /// them if the processes are on several hosts or in several containers, or one of them gets no memory.
  /// Network namespaces count as hosts, so that tests can make two machines of one.
  static std::shared_ptr<SharedMemory> make(Group& group, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::size_t bytes() const { return bytes_; }  ///< of a part
  /// Aligned to a page.
  std::byte* part(std::int64_t rank) const { return parts_[static_cast<std::size_t>(rank)]; }

 private:
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes) {}

  std::size_t bytes_;
  std::vector<std::byte*> parts_;
};

}  // namespace transformer::distributed

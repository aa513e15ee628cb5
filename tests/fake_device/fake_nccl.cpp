// NCCL's functions for the fake device, as a library that TRANSFORMER_NCCL names. Processes of one machine,
// or threads of a test, exchange through shared memory. As NCCL does, a call only puts its work on a stream.
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <string>

#include "tests/fake_device/memory.h"
#include "tests/fake_device/streams.h"
#include "transformer/distributed/nccl.h"

namespace transformer::test::fake_device {
namespace {

using distributed::Nccl;

constexpr std::size_t kChunk = 1 << 16;  // bytes of each process that are exchanged at a time

at::ScalarType type_of(int type) {
  for (const auto known : {at::kByte, at::kInt, at::kLong, at::kHalf, at::kFloat, at::kDouble, at::kBFloat16})
    if (Nccl::type_of(known) == type) return known;
  throw std::invalid_argument("fake NCCL: no such type");
}

class Communicator {
 public:
  Communicator(const std::string& name, int size, int rank) : size_(size), rank_(rank) {
    const auto bytes = sizeof(Meeting) + static_cast<std::size_t>(size) * kChunk;
    const int file = shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) throw std::bad_alloc();
    memory_ = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    meet();
    if (rank == 0) shm_unlink(name.c_str());
  }

  /// root: who gives; -1 for a sum over all.
  void exchange(const void* data, std::size_t count, at::ScalarType type, int root) {
    const auto width = c10::elementSize(type), at_once = kChunk / width;
    auto* const own = static_cast<char*>(host_address(const_cast<void*>(data)));
    for (std::size_t begin = 0; begin < count; begin += at_once) {
      const auto part = std::min(at_once, count - begin);
      std::memcpy(place(rank_), own + begin * width, part * width);
      meet();
      auto result = tensor(own + begin * width, part, type);
      result.copy_(tensor(place(root < 0 ? 0 : root), part, type));
      for (int other = 1; root < 0 && other < size_; ++other) result.add_(tensor(place(other), part, type));
      meet();
    }
  }

 private:
  struct Meeting {
    std::atomic<std::int64_t> come;  // ftruncate makes zeros
  };

  /// Waits until all have come here as often as this one.
  void meet() {
    auto& come = reinterpret_cast<Meeting*>(memory_)->come;
    const auto all = ++meetings_ * size_;
    ++come;
    while (come < all) sched_yield();
  }
  char* place(int rank) const { return memory_ + sizeof(Meeting) + static_cast<std::size_t>(rank) * kChunk; }
  static at::Tensor tensor(char* data, std::size_t count, at::ScalarType type) {
    return at::from_blob(data, {static_cast<std::int64_t>(count)}, at::TensorOptions(type));
  }

  char* memory_ = nullptr;
  int size_, rank_;
  std::int64_t meetings_ = 0;
};

int put_exchange(const void* from, const void* to, std::size_t count, int type, int root, void* communicator,
                 void* stream) {
  constexpr int kInvalidArgument = 4;
  if (from != to || stream == nullptr) return kInvalidArgument;
  put(stream, [=] { static_cast<Communicator*>(communicator)->exchange(to, count, type_of(type), root); });
  return Nccl::kSuccess;
}

}  // namespace
}  // namespace transformer::test::fake_device

extern "C" {

using transformer::distributed::Nccl;
using transformer::test::fake_device::Communicator;

int ncclGetUniqueId(Nccl::UniqueId* id) {
  static std::atomic<int> count;
  const auto name = "/fake-nccl-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  id->bytes = {};
  std::memcpy(id->bytes.data(), name.data(), name.size());
  return Nccl::kSuccess;
}

int ncclCommInitRank(void** communicator, int size, Nccl::UniqueId id, int rank) {
  *communicator = new Communicator(id.bytes.data(), size, rank);
  return Nccl::kSuccess;
}

int ncclCommDestroy(void* communicator) {
  delete static_cast<Communicator*>(communicator);
  return Nccl::kSuccess;
}

int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int /*sum*/, void* communicator,
                  void* stream) {
  return transformer::test::fake_device::put_exchange(from, to, count, type, -1, communicator, stream);
}

int ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root, void* communicator,
                  void* stream) {
  return transformer::test::fake_device::put_exchange(from, to, count, type, root, communicator, stream);
}

const char* ncclGetErrorString(int /*result*/) {
  return "invalid argument";
}
}

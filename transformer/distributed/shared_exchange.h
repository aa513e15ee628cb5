// Sums and copies of tensors among the processes of one host, through memory that they share.
#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "transformer/distributed/meeting_point.h"
#include "transformer/distributed/shared_memory.h"

namespace transformer::distributed {

/// Each process adds up a part of every tensor, over all processes in the order of their ranks, and puts the
/// sum into the tensors of all. So all have the same bits. Numbers in bf16 are added up in fp32 and rounded
/// once.
///
/// Nothing is done before one of them is waited for. Then all that have begun are done together: processes
/// wait for each other twice, however many tensors there are, and while a process computes nothing runs
/// beside it. All processes begin the same, and wait, in the same order.
class SharedExchange {
 public:
  /// All processes call it. → null in all of them where they cannot share memory
  static std::unique_ptr<SharedExchange> make(Group& group, std::chrono::seconds timeout);

  /// Zeros, (count), in shared memory, from where others read them. In ordinary memory where it is short. All
  /// processes call it with the same arguments.
  torch::Tensor zeros(std::int64_t count, const torch::TensorOptions& options);

  /// fp32, fp64 and bf16, contiguous, on the CPU.
  static bool can_sum(const torch::Tensor& tensor);
  /// What zeros() gave, or a part of it.
  bool can_broadcast(const torch::Tensor& tensor) { return memory_with(tensor) != nullptr; }

  /// → a number for finish()
  std::int64_t begin_sum(const torch::Tensor& tensor) { return begin({tensor}); }
  /// All get the tensor of that rank.
  std::int64_t begin_broadcast(const torch::Tensor& tensor, std::int64_t from) {
    return begin({tensor, from});
  }
  /// Throws RunEnded as MeetingPoint.
  void finish(std::int64_t number);

 private:
  struct Begun {
    torch::Tensor tensor;
    std::optional<std::int64_t> from = {};  ///< a sum where there is none
  };
  /// What lies at one place of every process's part.
  struct Piece {
    const SharedMemory* memory = nullptr;
    std::size_t at = 0;  ///< bytes
    std::int64_t count = 0;
    torch::ScalarType type = torch::kFloat;
    std::optional<std::int64_t> from = {};
    std::byte* outside = nullptr;  ///< where it is copied from and to; null for what is there for good
  };

  SharedExchange(Group& group, std::shared_ptr<SharedMemory> memory, std::chrono::seconds timeout);
  std::int64_t begin(const Begun& begun);
  const SharedMemory* memory_with(const torch::Tensor& tensor);
  void finish_all();
  void exchange(const std::vector<Piece>& pieces);
  void add_up_own_share(const Piece& piece);

  Group& group_;
  std::shared_ptr<SharedMemory> memory_;  ///< the meeting point, then room for tensors from elsewhere
  MeetingPoint meeting_;
  std::vector<std::weak_ptr<SharedMemory>> of_tensors_;
  std::vector<Begun> begun_;
  std::int64_t finished_ = 0;
};

}  // namespace transformer::distributed

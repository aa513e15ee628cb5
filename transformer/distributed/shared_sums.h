// Sums of tensors over the processes of one host, through memory that they share.
#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transformer/distributed/meeting_point.h"
#include "transformer/distributed/shared_memory.h"

namespace transformer::distributed {

/// Each process adds up a part of every tensor, over all processes in the order of their ranks, and puts the
/// sum into the tensors of all. So all have the same bits. Numbers in bf16 are added up in fp32 and rounded
/// once.
///
/// Nothing is computed before a sum is waited for. Then all that have begun are done together: processes wait
/// for each other twice, however many tensors there are, and while a process computes nothing runs beside it.
/// All processes begin the same sums, and wait, in the same order.
class SharedSums {
 public:
  /// All processes call it. → null in all of them where they cannot share memory
  static std::unique_ptr<SharedSums> make(Group& group, std::chrono::seconds timeout);

  /// Zeros, (count), in shared memory, where sums need no copies. In ordinary memory where it is short. All
  /// processes call it with the same arguments.
  torch::Tensor zeros(std::int64_t count, const torch::TensorOptions& options);

  /// fp32, fp64 and bf16, contiguous, on the CPU.
  static bool takes(const torch::Tensor& tensor);

  /// → the number of the sum, for finish()
  std::int64_t begin(const torch::Tensor& tensor);
  /// Throws RunEnded as MeetingPoint.
  void finish(std::int64_t number);

 private:
  /// What lies at one place of every process's part, and is added up there.
  struct Piece {
    const SharedMemory* memory = nullptr;
    std::size_t at = 0;  ///< bytes
    std::int64_t count = 0;
    torch::ScalarType type = torch::kFloat;
    std::byte* outside = nullptr;  ///< where it is copied from and to; null for what is there for good
  };

  SharedSums(Group& group, std::shared_ptr<SharedMemory> memory, std::chrono::seconds timeout);
  const SharedMemory* memory_with(const std::byte* data);
  void finish_all();
  void add_up(const std::vector<Piece>& pieces);
  void add_up_own_part(const Piece& piece);

  Group& group_;
  std::shared_ptr<SharedMemory> memory_;  ///< the meeting point, then room for tensors from elsewhere
  MeetingPoint meeting_;
  std::vector<std::weak_ptr<SharedMemory>> of_tensors_;
  std::vector<torch::Tensor> begun_;
  std::int64_t finished_ = 0;
};

}  // namespace transformer::distributed

// Tensors that the processes of a run add up and exchange. Those of CPUs go by c10d's Gloo, or on one host
// through memory that the processes share (shared_exchange.h); those of other devices as device_exchange.h
// says.
#pragma once

#include <torch/types.h>

#include <chrono>
#include <memory>

#include "transformer/distributed/device_exchange.h"
#include "transformer/distributed/group.h"
#include "transformer/distributed/shared_exchange.h"

namespace transformer::distributed {

/// The way of the CPU's tensors between processes that all are on one host. Between hosts it is Gloo.
enum class OnOneHost { shared_memory, gloo };

/// All processes call the same functions in the same order, with tensors of equal shape and type. Throws
/// RunEnded if another process fails or an exchange takes longer than the timeout.
class Collectives {
 public:
  /// Connects each process with each. Throws InputError where this build has no Gloo.
  Collectives(Group& group, std::chrono::seconds timeout, OnOneHost by = OnOneHost::shared_memory);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  Group& group() const { return group_; }

  /// An exchange under way. The tensor is not to be touched before wait() returns.
  class Pending {
   public:
    void wait();

   private:
    friend class Collectives;
    struct Work;
    Pending(Group& group, std::shared_ptr<Work> work) : group_(&group), work_(std::move(work)) {}
    Group* group_;
    std::shared_ptr<Work> work_;
  };

  /// Puts the sum over all processes into each one's tensor, which is contiguous: bit by bit the same
  /// everywhere, and each time for the same number of processes. Shared memory, Gloo and NCCL differ in the
  /// order in which they add, so that more than two processes get other last bits from one than from another.
  /// A device's tensor is not to be touched on another stream than the current one.
  ///
  /// In shared memory (fp32, fp64, bf16) all of the work is done in wait(), for all that has begun: the more
  /// begins before the first is waited for, the better.
  Pending begin_sum(const torch::Tensor& tensor);
  void sum(const torch::Tensor& tensor) { begin_sum(tensor).wait(); }

  /// Whether tensors of the CPU go through memory that the processes share.
  bool share_memory() const { return shared_ != nullptr; }
  /// Zeros, (count). On the CPU they are in shared memory where there is some: their sums need no copies, and
  /// they, or parts of them, are broadcast through it. All processes call it with the same arguments.
  torch::Tensor zeros(std::int64_t count, const torch::TensorOptions& options);

  /// Puts that process's tensor into all. Shared memory serves what zeros() gave.
  Pending begin_broadcast(const torch::Tensor& tensor, std::int64_t from);
  void broadcast(const torch::Tensor& tensor, std::int64_t from) { begin_broadcast(tensor, from).wait(); }

  /// One process gives a tensor to another, which has one of the same shape and type. Both wait. Between two
  /// processes, tensors are received in the order in which they are sent.
  void send(const torch::Tensor& tensor, std::int64_t to);
  void receive(const torch::Tensor& tensor, std::int64_t from);

 private:
  struct Gloo;

  DeviceExchange& on_device(const torch::Device& device);

  Group& group_;
  std::chrono::seconds timeout_;
  std::unique_ptr<Gloo> gloo_;
  std::unique_ptr<SharedExchange> shared_;     // null where the processes share no memory
  std::unique_ptr<DeviceExchange> on_device_;  // from the first tensor of a device on
};

}  // namespace transformer::distributed

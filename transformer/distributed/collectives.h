// What the processes of a run compute together: c10d's Gloo on CPUs.
#pragma once

#include <torch/types.h>

#include <chrono>
#include <memory>

#include "transformer/distributed/group.h"

namespace transformer::distributed {

/// Throws InputError for a device whose tensors the processes cannot exchange.
void check_device(const torch::Device& device);

/// All processes call the same functions, with tensors of equal shape and type, in the same order. What fails
/// because another process does, or takes longer than the timeout, throws RunEnded.
class Collectives {
 public:
  /// Connects each process with each. Throws InputError where this build has no Gloo.
  Collectives(Group& group, std::chrono::seconds timeout);
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

  /// Puts the sum over all processes into each one's tensor, on the CPU and contiguous: bit by bit the same
  /// everywhere, and each time for the same number of processes.
  Pending begin_sum(const torch::Tensor& tensor);
  void sum(const torch::Tensor& tensor) { begin_sum(tensor).wait(); }

  /// Puts that process's tensor into all.
  Pending begin_broadcast(const torch::Tensor& tensor, std::int64_t from);
  void broadcast(const torch::Tensor& tensor, std::int64_t from) { begin_broadcast(tensor, from).wait(); }

  /// One process gives a tensor to another, which has one of that shape and type; both wait. Of two
  /// processes, the second receives in the order in which the first sends.
  void send(const torch::Tensor& tensor, std::int64_t to);
  void receive(const torch::Tensor& tensor, std::int64_t from);

 private:
  struct Gloo;

  Group& group_;
  std::unique_ptr<Gloo> gloo_;
};

}  // namespace transformer::distributed

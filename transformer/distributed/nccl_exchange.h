// Exchanges of GPUs' tensors by NCCL, while the GPUs go on computing.
#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "transformer/distributed/device_exchange.h"
#include "transformer/distributed/nccl.h"

namespace transformer::distributed {

class Group;

/// An exchange runs on a stream of its own, behind what the current stream had when it began. finish() makes
/// the current stream wait for it, and the host for nothing. So a process that is gone shows on no call here:
/// the group's watch (watch.h) ends the others then. A thread finds an exchange that takes longer than the
/// timeout though all live.
class NcclExchange : public DeviceExchange {
 public:
  /// All processes call it. Throws RunEnded.
  NcclExchange(Group& group, const torch::Device& device, std::chrono::seconds timeout);
  ~NcclExchange() override;

  torch::Tensor zeros(std::int64_t count, const torch::TensorOptions& options) override;
  std::int64_t begin_sum(const torch::Tensor& tensor) override;
  std::int64_t begin_broadcast(const torch::Tensor& tensor, std::int64_t from) override;
  void finish(std::int64_t number) override;

 private:
  struct Begun {
    std::shared_ptr<c10::Event> done;
    std::chrono::steady_clock::time_point since;
  };

  template <typename Call>
  std::int64_t begin(const torch::Tensor& tensor, const Call& call);
  void check(int result) const;
  void watch();
  bool forget_what_is_done();

  Group& group_;
  const torch::Device device_;
  const std::chrono::seconds timeout_;
  const Nccl& nccl_;
  Nccl::Communicator communicator_ = nullptr;
  c10::Stream stream_;
  std::int64_t first_ = 1;  ///< the number of begun_.front()
  std::deque<Begun> begun_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread watch_;
};

}  // namespace transformer::distributed

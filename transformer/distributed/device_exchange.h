// Exchanges of tensors that lie on a device, such as a GPU: by NCCL, or by way of the host.
#pragma once

#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <memory>

namespace transformer::distributed {

class Collectives;

/// All processes call the same functions in the same order, with contiguous tensors of equal shape and type,
/// each on its own device.
class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;

  /// Zeros, (count), on the device of the options: their sums need no memory besides.
  virtual torch::Tensor zeros(std::int64_t count, const torch::TensorOptions& options) = 0;

  /// Puts the sum over all processes into each one's tensor. → a number for finish()
  virtual std::int64_t begin_sum(const torch::Tensor& tensor) = 0;
  /// All get the tensor of that rank. → a number for finish()
  virtual std::int64_t begin_broadcast(const torch::Tensor& tensor, std::int64_t from) = 0;
  /// From here on the tensor may be used by operations on the device's current stream. Throws RunEnded as
  /// Collectives.
  virtual void finish(std::int64_t number) = 0;
};

/// Between devices by NCCL, if all processes have it and no two of them share a device; otherwise by way of
/// the host's memory, which a line of the log says. NCCL takes processes that share a device if the
/// environment has NCCL_MULTI_RANK_GPU_ENABLE=1 (version 2.30). All processes call it. `host` exchanges
/// tensors of the CPU, for as long as the result lives.
std::unique_ptr<DeviceExchange> make_device_exchange(Collectives& host, const torch::Device& device,
                                                     std::chrono::seconds timeout);

}  // namespace transformer::distributed

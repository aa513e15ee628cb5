// Exchanges of a device's tensors by way of the host's memory: right on every device, and slow.
#pragma once

#include <optional>
#include <vector>

#include "transformer/distributed/device_exchange.h"

namespace transformer::distributed {

/// Nothing is done before one of them is waited for. Then all that have begun are copied to the host,
/// exchanged there, and copied back.
class StagedExchange : public DeviceExchange {
 public:
  explicit StagedExchange(Collectives& host) : host_(host) {}

  torch::Tensor zeros(std::int64_t count, const torch::TensorOptions& options) override;
  std::int64_t begin_sum(const torch::Tensor& tensor) override { return begin({tensor}); }
  std::int64_t begin_broadcast(const torch::Tensor& tensor, std::int64_t from) override {
    return begin({tensor, from});
  }
  void finish(std::int64_t number) override;

 private:
  struct Begun {
    torch::Tensor tensor;
    std::optional<std::int64_t> from = {};  ///< a sum where there is none
  };
  /// Numbers of the device and their place on the host, which may be shared with the other processes.
  struct Twins {
    torch::Tensor device, host;
  };

  std::int64_t begin(const Begun& begun);
  torch::Tensor on_host(const torch::Tensor& tensor) const;
  void finish_all();

  Collectives& host_;
  std::vector<Twins> twins_;
  std::vector<Begun> begun_;
  std::int64_t finished_ = 0;
};

}  // namespace transformer::distributed

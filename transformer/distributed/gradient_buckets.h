// The gradients of a model that several processes train, added up over all of them (data parallelism).
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "transformer/distributed/collectives.h"
#include "transformer/distributed/options.h"

namespace transformer::distributed {

/// Gradients lie one after another in buckets of some megabytes. A bucket is sent as soon as the backward
/// pass has computed all of it, while the pass goes on. The buckets depend on the model alone, so a run and
/// its resumption sum in the same order. c10d::Reducer, PyTorch's own class, rearranges its buckets after the
/// first step.
class GradientBuckets {
 public:
  /// parameters: leaves, in the order in which a forward pass uses them, as in all processes.
  GradientBuckets(Collectives& collectives, std::vector<torch::Tensor> parameters, Wire wire = Wire::fp32);
  ~GradientBuckets();
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  /// From here on gradients add up from nothing.
  void begin();
  /// The next backward pass is this process's last one of the update.
  void begin_last();
  /// After the last backward pass, which begin_last() need not have announced: sends what was not sent, so
  /// all of a process that has nothing of its own.
  void send_rest();
  /// Does so, and waits for all. Each parameter's gradient is the sum over all processes then.
  void finish();

  /// After backward passes that nothing was sent from: all buckets hold this process's gradients. What a
  /// graph (gpu/graph.h) records ends so.
  void fill();
  /// A graph has filled the buckets, in the place of begin() and fill().
  void filled();
  /// The numbers of the buckets.
  std::vector<torch::Tensor> gradients() const;

  std::int64_t count() const { return static_cast<std::int64_t>(buckets_.size()); }

 private:
  struct Bucket {
    torch::Tensor gradients = {};  ///< of its parameters, flat
    std::int64_t parameters = 0;
    std::int64_t missing = 0;  ///< in the last backward pass
    torch::Tensor sent = {};   ///< what is on the wire
    std::optional<Collectives::Pending> pending = {};
  };

  void add_bucket(const std::vector<std::size_t>& members);
  void begin_again();
  void computed(std::size_t parameter);
  void put_into_bucket(std::size_t parameter);
  void send_what_is_next();

  Collectives& collectives_;
  std::vector<torch::Tensor> parameters_;
  Wire wire_;
  std::vector<std::size_t> bucket_of_;    ///< of each parameter
  std::vector<torch::Tensor> gradients_;  ///< each parameter's part of its bucket
  std::vector<bool> in_bucket_;           ///< of this update, that part holds the parameter's gradient
  std::vector<Bucket> buckets_;           ///< in the order in which they are sent
  bool last_ = false;
  std::size_t next_ = 0;  ///< to send: the same order in all processes
};

}  // namespace transformer::distributed

// Updates as graphs: a device that is asked for an update of the same shape again is asked for all its
// operations at once (gpu/graph.h). Small models wait for the host otherwise, which needs some 35 µs for each
// of 500 operations.
#pragma once

#include <torch/types.h>

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "transformer/gpu/graph.h"
#include "transformer/train/optimizer.h"
#include "transformer/train/task.h"
#include "transformer/train/update_numbers.h"

namespace transformer::train {

/// A shape's first update is computed, so that all that is made once is there. The second one is recorded.
/// The first graph of a process is compared with what it stands for: both make the same update, and their
/// numbers and what they change have to agree. If they do not, or a device cannot record an update, a
/// warning says so once, and updates are computed.
///
/// Shapes recur since batches are filled up (data/filler.h). At most kMost have a graph. A graph's memory is
/// shared by all, beside that of what is computed: an update needs twice as much.
class UpdateGraphs {
 public:
  /// The whole update of a batch: gradients, and the optimiser's step. It is the
  /// gradients alone where several processes exchange them. → what the host wants to read, or goes on with
  using Compute = std::function<torch::Tensor(const std::any& batch, const UpdateNumbers& numbers)>;

  static constexpr std::size_t kMost = 128;

  /// Both are used as long as this lives. The device has graphs. changing: all that an update changes. A
  /// graph's changes may differ by a share of them, `precision`.
  UpdateGraphs(const Objective& objective, Optimizer& optimizer, const torch::Device& device,
               std::vector<torch::Tensor> changing, double precision);

  /// What compute(batch, numbers) returns, valid until the next call. The batch's memory may become a
  /// graph's.
  torch::Tensor run(const std::any& batch, const UpdateNumbers& numbers, const Compute& compute);

  std::size_t size() const { return size_; }  ///< graphs
  void forget();                              ///< gives up all graphs and their memory, for good

 private:
  struct Recorded {
    std::any batch;
    UpdateNumbers numbers;
    torch::Tensor result;
    std::unique_ptr<gpu::Graph> graph;  ///< after what it writes to
    bool seen = false;
  };

  torch::Tensor first(const std::any& batch, const UpdateNumbers& numbers, const Compute& compute);
  bool record(Recorded& shape, const std::any& batch, const UpdateNumbers& numbers, const Compute& compute);
  torch::Tensor compared(Recorded& shape, const Compute& compute);
  torch::Tensor replayed(Recorded& shape);
  void decline(const std::string& why);

  const Objective& objective_;
  Optimizer& optimizer_;
  torch::Device device_;
  std::vector<torch::Tensor> changing_;
  double precision_;
  gpu::GraphPool pool_;
  std::map<std::vector<std::int64_t>, Recorded> shapes_;
  std::size_t size_ = 0;
  bool declined_ = false, agreed_ = false;
};

}  // namespace transformer::train

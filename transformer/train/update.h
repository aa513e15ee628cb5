// One update: gradients accumulated over micro-batches, then a step of the optimiser (sections 5.1, 5.3).
#pragma once

#include <any>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/base/stopwatch.h"
#include "transformer/distributed/gradient_buckets.h"
#include "transformer/ops/working_weights.h"
#include "transformer/train/loss_scale.h"
#include "transformer/train/optimizer.h"
#include "transformer/train/phase_seconds.h"
#include "transformer/train/sharded_moments.h"
#include "transformer/train/task.h"
#include "transformer/train/train_state.h"
#include "transformer/train/trained_parts.h"
#include "transformer/train/update_graphs.h"
#include "transformer/train/update_numbers.h"

namespace transformer::train {

/// Sums over an update's real target tokens.
struct UpdateResult {
  double loss = 0;  ///< label-smoothed
  double nll = 0;
  double gradient_norm = 0;  ///< before clipping, of the loss as it is, unscaled
  std::int64_t source_tokens = 0;
  std::int64_t target_tokens = 0;
  double flops = 0;  ///< of the matrix products, forward and backward
  PhaseSeconds phases;
  /// The gradient was too large for fp16 under the loss scale, which is smaller now: weights and moments have
  /// not changed, and no example is to blame.
  bool overflowed = false;
  /// Otherwise, empty when the step was made. If not, loss or gradient are NaN or infinite, nothing has
  /// changed, and these are the examples of the micro-batches with such a loss, or all where only the
  /// gradient has it.
  std::vector<std::int64_t> suspects;
  /// One of several processes was interrupted; the update is whole. (One alone throws Interrupted.)
  bool interrupted = false;

  bool skipped() const { return !suspects.empty(); }
  bool stepped() const { return !skipped() && !overflowed; }
};

/// Adds an update, the state's next step, to the state's counts of updates, tokens and losses.
void count(TrainState& state, const UpdateResult& result);

struct UpdateSettings {
  torch::ScalarType precision = torch::kFloat;
  double clip = 0;
  bool clip_sum = false;  ///< clip is for the gradient before it is divided by the update's target tokens
  /// Looked at before each micro-batch.
  const std::atomic<bool>* interrupted = nullptr;
  bool cut_when_short = true;  ///< of memory; else that error ends the update
  std::uint64_t seed = 0;      ///< of the dropout masks
  /// The loss scale of the first update in fp16. Other precisions use none.
  LossScale loss_scale = {};
  /// The processes that share each update: each computes a part of its sentences. Null: a single process.
  distributed::Collectives* others = nullptr;
  distributed::Wire wire = distributed::Wire::fp32;  ///< of the gradients between them
  ShardedMoments* shards = nullptr;                  ///< if each process keeps a part of the moments
  TrainedParts* trained = nullptr;                   ///< if there may be adapters
  bool graphs = false;  ///< updates of one micro-batch a process may be graphs, where a device has them
};

/// The settings that a configuration decides; the others keep their defaults.
UpdateSettings settings_of(const TrainOptions& options, torch::ScalarType precision,
                           const std::atomic<bool>* interrupted);

class Updater {
 public:
  /// Both are used as long as this lives. The objective's module is in training mode.
  Updater(Objective& objective, Optimizer& optimizer, const UpdateSettings& settings);

  /// Makes an update from some of the objective's examples. The gradient is that of the mean loss over all
  /// target tokens of the update, however it is cut into micro-batches. Dropout's masks do not depend on the
  /// cut, either: they are a function of the seed, of `step` (the update's number) and of the examples'
  /// numbers (ops/dropout.h; not on CUDA). If memory is too short for a micro-batch, the update begins again
  /// with all of them cut in two, and later updates are cut the same way. Throws RunError if even a single
  /// example is too much, and Interrupted, with weights and moments as they were.
  ///
  /// Each of several processes computes its share of the micro-batches (shares.h). All make the same step,
  /// with the gradient of the whole update. With several processes no batches are cut for want of memory, and
  /// an interruption shows in the result.
  ///
  /// next: the following update from the same examples, if it is known. Its first batch is made while the
  /// device still computes, so that the device need not wait for it. An update's other batches never make it
  /// wait, because the host launches a GPU's operations long before they run.
  UpdateResult run(const Examples& examples, const Examples::Update& update, double learning_rate,
                   std::int64_t step, const Examples::Update* next = nullptr);

  std::int64_t parts() const { return parts_; }  ///< number of parts that each micro-batch is cut into

  std::size_t graphs() const { return graphs_ ? graphs_->size() : 0; }  ///< of updates (update_graphs.h)

  /// The loss scale of the next update; nothing unless the precision is fp16.
  const std::optional<LossScale>& loss_scale() const { return loss_scale_; }

 private:
  /// A batch that was made before it is needed.
  struct Prepared {
    Examples::MicroBatch micro_batch;
    std::any batch;
  };

  UpdateResult try_run(const Examples& examples, const Examples::Update& update, double learning_rate,
                       std::int64_t step, const Examples::Update* next);
  void prepare(const Examples& examples, const Examples::MicroBatch& micro_batch);
  /// The micro-batches of an update that this process computes, and those of all processes in their order.
  struct Work {
    Examples::Update own, all;
    std::size_t begin = 0;  ///< the place of `own` in `all`
  };
  Work work_of(const Examples& examples, const Examples::Update& update) const;
  bool is_interrupted() const { return settings_.interrupted && *settings_.interrupted; }
  /// What an update is computed from.
  struct Given {
    const Work& work;
    std::function<std::any(const Examples::MicroBatch&)> batch_of;
    const UpdateNumbers& numbers;
    double learning_rate;
    std::int64_t step;
  };
  bool can_be_graphs() const;
  std::uint64_t seed_of_pass(std::int64_t pass) const;  ///< of dropout's masks; passes count from 0
  bool is_by_graph(const Examples& examples, const Work& work) const;
  ops::TokenLoss loss_of(const std::any& batch, const Given& given, const Examples::MicroBatch& micro_batch,
                         PhaseSeconds& phases, Stopwatch& watch);
  torch::Tensor gradients(const Given& given, bool send, UpdateResult& result, Stopwatch& watch);
  torch::Tensor use_gradients(const Given& given, torch::Tensor losses, UpdateResult& result,
                              Stopwatch& watch);
  torch::Tensor compute(const Given& given, UpdateResult& result, Stopwatch& watch);
  torch::Tensor compute_by_graph(const std::any& batch, const Given& given, UpdateResult& result,
                                 Stopwatch& watch);
  void make_step(const Given& given, const torch::Tensor& losses, const torch::Tensor& norm,
                 const UpdateResult& result);
  torch::Tensor exchange(const torch::Tensor& own, const Work& work);
  std::any batch_of(const Examples& examples, const Examples::MicroBatch& micro_batch);
  void clear_gradients();
  void cut_smaller(const Examples& examples, const Examples::Update& update);
  void judge(const torch::Tensor& numbers, const Examples::Update& update, UpdateResult& result);
  double scale() const { return loss_scale_ ? loss_scale_->value : 1.0; }

  Objective& objective_;
  Optimizer& optimizer_;
  UpdateSettings settings_;
  std::int64_t parts_ = 1;
  std::optional<LossScale> loss_scale_;
  std::unique_ptr<distributed::GradientBuckets> buckets_;  // where there are others
  ops::WorkingWeights working_;
  std::optional<Prepared> prepared_;  // of the examples of the last run()
  std::unique_ptr<UpdateGraphs> graphs_;
};

}  // namespace transformer::train

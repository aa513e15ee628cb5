#include "transformer/train/update.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/gpu/graph.h"
#include "transformer/ops/dropout.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"
#include "transformer/train/micro_batch_cuts.h"
#include "transformer/train/shares.h"

namespace transformer::train {
namespace {

using Update = Examples::Update;

void count_tokens(const Examples& examples, const Update& update, double passes, UpdateResult& result) {
  for (const auto& micro_batch : update) {
    const auto size = examples.size_of(micro_batch);
    result.source_tokens += size.source_tokens;
    result.target_tokens += size.target_tokens;
  }
  result.flops = examples.flops(update) * passes;
}

/// Frozen ones have no gradients to exchange.
std::vector<torch::Tensor> parameters_with_gradients(const torch::nn::Module& module) {
  auto parameters = module.parameters();
  std::erase_if(parameters, [](const torch::Tensor& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

}  // namespace

void count(TrainState& state, const UpdateResult& result) {
  ++state.step;
  state.source_tokens += result.source_tokens;
  state.target_tokens += result.target_tokens;
  state.flops += result.flops;
  if (result.skipped()) {
    ++state.skipped;
    ++state.skipped_in_row;
  } else if (result.stepped()) {  // an overflow under the loss scale neither adds to the row nor ends it
    state.skipped_in_row = 0;
    state.open_loss += result.loss;
    state.open_nll += result.nll;
    state.open_tokens += result.target_tokens;
  }
}

UpdateSettings settings_of(const TrainOptions& options, torch::ScalarType precision,
                           const std::atomic<bool>* interrupted) {
  return {
      .precision = precision, .clip = options.clip, .clip_sum = options.clip_sum, .interrupted = interrupted};
}

Updater::Updater(Objective& objective, Optimizer& optimizer, const UpdateSettings& settings)
    : objective_(objective), optimizer_(optimizer), settings_(settings) {
  if (settings.precision == torch::kHalf) loss_scale_ = settings.loss_scale;
  if (settings.others)
    buckets_ = std::make_unique<distributed::GradientBuckets>(
        *settings.others, parameters_with_gradients(objective.module()), settings.wire);
  // Adam's first steps magnify what the order of additions does to small gradients.
  constexpr double kOfSteps = 0.2, kOfGradients = 0.02;
  if (can_be_graphs())
    graphs_ = std::make_unique<UpdateGraphs>(objective, optimizer, device_of(objective.module()),
                                             buckets_ ? buckets_->gradients() : optimizer.changing(),
                                             buckets_ ? kOfGradients : kOfSteps);
}

/// Not with a loss scale or a sum's clipping, which are numbers of the host.
bool Updater::can_be_graphs() const {
  return settings_.graphs && gpu::may_be_graphs(device_of(objective_.module())) &&
         settings_.precision != torch::kHalf && !settings_.clip_sum && optimizer_.reads_rate_on_device() &&
         !(settings_.trained && settings_.trained->has_adapters());
}

UpdateResult Updater::run(const Examples& examples, const Update& update, double learning_rate,
                          std::int64_t step, const Update* next) {
  while (true) {
    try {
      return try_run(examples, update, learning_rate, step, next);
    } catch (const std::exception& error) {
      if (settings_.others || !settings_.cut_when_short || !runtime::is_out_of_memory(error)) throw;
    }
    // Outside the handler: the exception keeps alive what its stack refers to.
    clear_gradients();
    if (graphs() > 0)
      graphs_->forget();  // whose memory may be enough
    else
      cut_smaller(examples, update);
  }
}

void Updater::clear_gradients() {
  optimizer_.clear_gradients();
  if (settings_.trained) settings_.trained->clear_gradients();
}

void Updater::cut_smaller(const Examples& examples, const Update& update) {
  const auto pieces = cut(update, parts_);
  check_can_be_cut(objective_, examples, pieces);
  parts_ *= 2;
  spdlog::warn(
      "out of memory with a batch of {}: going on with micro-batches cut into {}; a smaller "
      "train.micro_tokens avoids this",
      largest_shape(examples, pieces), parts_);
}

Updater::Work Updater::work_of(const Examples& examples, const Update& update) const {
  if (!settings_.others) {
    Work work;
    work.own = parts_ == 1 ? update : cut(update, parts_);
    work.all = work.own;
    return work;
  }
  const auto& group = settings_.others->group();
  auto shares = share_out(examples, update, group.size());
  Work work;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    if (static_cast<std::int64_t>(rank) == group.rank()) {
      work.begin = work.all.size();
      work.own = shares[rank];
    }
    std::ranges::move(shares[rank], std::back_inserter(work.all));
  }
  return work;
}

std::any Updater::batch_of(const Examples& examples, const Examples::MicroBatch& micro_batch) {
  const auto prepared = std::exchange(prepared_, std::nullopt);
  if (prepared && prepared->micro_batch == micro_batch) return prepared->batch;
  return examples.make_batch(micro_batch);
}

void Updater::prepare(const Examples& examples, const Examples::MicroBatch& micro_batch) {
  try {
    prepared_ = Prepared{micro_batch, examples.make_batch(micro_batch)};
  } catch (const std::exception&) {
    // The step of this update is done, so an error here is not its failure. The next update makes the batch
    // again, and throws it there.
  }
}

/// Several processes send gradients while they compute them, which a graph does not. So graphs are for
/// updates that a GPU computes sooner than the host asks for their operations: 5 TFLOP are some 15 ms of
/// either.
bool Updater::is_by_graph(const Examples& examples, const Work& work) const {
  constexpr double kHostBound = 5e12;
  return graphs_ && work.own.size() == 1 &&
         (!buckets_ || examples.flops(work.own) * static_cast<double>(objective_.passes()) < kHostBound);
}

UpdateResult Updater::try_run(const Examples& examples, const Update& update, double learning_rate,
                              std::int64_t step, const Update* next) {
  UpdateResult result;
  auto& phases = result.phases;
  Stopwatch watch;
  const auto work = work_of(examples, update);
  count_tokens(examples, work.all, static_cast<double>(objective_.passes()), result);
  const auto own =
      update_numbers(static_cast<double>(result.target_tokens) / scale(), learning_rate,
                     ops::DropoutScope::seed_of(seed_of_pass(0), step), device_of(objective_.module()));
  const Given given{work, [&](const auto& micro_batch) { return batch_of(examples, micro_batch); }, own,
                    learning_rate, step};
  torch::Tensor numbers;
  if (is_by_graph(examples, work)) {
    const auto batch = batch_of(examples, work.own.front());
    phases.data += watch.restart();
    numbers = compute_by_graph(batch, given, result, watch);
  } else {
    numbers = compute(given, result, watch);
  }
  working_.refresh();
  phases.optimizer += watch.restart();
  if (next) {
    const auto next_work = work_of(examples, *next);
    if (!next_work.own.empty()) prepare(examples, next_work.own.front());
  }
  phases.data += watch.restart();
  numbers = numbers.cpu();
  phases.waiting += watch.restart();
  if (buckets_) result.interrupted = numbers[-1].item<double>() > 0;
  judge(numbers, work.all, result);
  return result;
}

/// Fills the sums of an update. If the step did not count, it says why. It also sets the loss scale of the
/// next update. numbers: loss and nll of each micro-batch, then the gradient's norm, (2 n + 1), fp64.
void Updater::judge(const torch::Tensor& numbers, const Update& update, UpdateResult& result) {
  const auto* of_batch = numbers.const_data_ptr<double>();
  for (std::size_t i = 0; i < update.size(); ++i) {
    result.loss += of_batch[2 * i];
    result.nll += of_batch[2 * i + 1];
  }
  result.gradient_norm = of_batch[2 * update.size()] / scale();
  const bool finite_loss = std::isfinite(result.loss + result.nll);
  if (finite_loss && std::isfinite(result.gradient_norm)) {
    if (loss_scale_) loss_scale_->grow();
    return;
  }
  if (loss_scale_ && finite_loss) {
    result.overflowed = loss_scale_->shrink();
    if (result.overflowed) return;
  } else if (loss_scale_) {
    loss_scale_->pause();
  }
  for (std::size_t i = 0; i < update.size(); ++i)
    if (!std::isfinite(of_batch[2 * i]) || std::isfinite(result.loss))
      result.suspects.insert(result.suspects.end(), update[i].begin(), update[i].end());
}

}  // namespace transformer::train

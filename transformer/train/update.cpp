#include "transformer/train/update.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/ops/dropout.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"
#include "transformer/train/shares.h"

namespace transformer::train {
namespace {

using Update = Examples::Update;

/// Of the dropout masks of a batch's pass, counted from 0.
std::uint64_t seed_of(std::uint64_t run, std::int64_t pass) {
  return pass == 0 ? run : mix(run, pass);
}

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

/// The micro-batches, each cut into at most `parts` pieces of about equally many examples.
Update cut(const Update& update, std::int64_t parts) {
  Update pieces;
  for (const auto& micro_batch : update) {
    const auto size = std::ssize(micro_batch);
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto begin = micro_batch.begin() + size * part / parts,
                 end = micro_batch.begin() + size * (part + 1) / parts;
      if (begin != end) pieces.emplace_back(begin, end);
    }
  }
  return pieces;
}

/// Describes the micro-batch with the most padded tokens: "64 × (31 source and 40 target tokens)". If the
/// examples have one side: "64 × 40 tokens".
std::string largest_shape(const Examples& examples, const Update& update) {
  std::int64_t most = -1;
  std::string shape;
  for (const auto& micro_batch : update) {
    const auto batch = examples.size_of(micro_batch);
    if (batch.padded_tokens() <= most) continue;
    most = batch.padded_tokens();
    shape = batch.source_length == 0 ? fmt::format("{} × {} tokens", batch.rows, batch.target_length)
                                     : fmt::format("{} × ({} source and {} target tokens)", batch.rows,
                                                   batch.source_length, batch.target_length);
  }
  return shape;
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
    cut_smaller(examples, update);
  }
}

void Updater::clear_gradients() {
  optimizer_.clear_gradients();
  if (settings_.trained) settings_.trained->clear_gradients();
}

void Updater::cut_smaller(const Examples& examples, const Update& update) {
  const auto pieces = cut(update, parts_);
  const auto shape = largest_shape(examples, pieces);
  const bool alone = std::ranges::all_of(pieces, [](const auto& piece) { return piece.size() == 1; });
  if (const auto whole = objective_.takes_whole_updates())
    throw RunError(
        fmt::format("out of memory with a batch of {}, which {} does not let be cut: a smaller update "
                    "(train.source_tokens, train.target_tokens), or a smaller model, is needed",
                    shape, *whole));
  if (alone)
    throw RunError(fmt::format(
        "out of memory with a batch of {}: a smaller model, or a smaller data.max_tokens, is needed", shape));
  parts_ *= 2;
  spdlog::warn(
      "out of memory with a batch of {}: going on with micro-batches cut into {}; a smaller "
      "train.micro_tokens avoids this",
      shape, parts_);
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

ops::TokenLoss Updater::loss_of(const std::any& batch, std::int64_t step,
                                const Examples::MicroBatch& micro_batch, PhaseSeconds& phases,
                                Stopwatch& watch) {
  const runtime::PrecisionScope scope(settings_.precision);
  const ops::WorkingWeights::Use use(working_);
  std::vector<torch::Tensor> outputs;
  for (std::int64_t pass = 0; pass < objective_.passes(); ++pass) {
    const ops::DropoutScope dropout(seed_of(settings_.seed, pass), step, micro_batch);
    outputs.push_back(objective_.outputs(batch));
  }
  phases.forward += watch.restart();
  auto sums = objective_.loss(outputs, batch);
  phases.loss += watch.restart();
  return sums;
}

/// Adds the gradients of this process's micro-batches. → loss and nll of each, (2 n), fp64; undefined without
/// micro-batches. They stay on the device: to read one back waits for all work before it.
torch::Tensor Updater::add_gradients(const Examples& examples, const Work& work, std::int64_t step,
                                     UpdateResult& result, Stopwatch& watch) {
  std::vector<torch::Tensor> numbers;
  for (const auto& micro_batch : work.own) {
    if (!buckets_ && is_interrupted()) throw Interrupted();
    const auto batch = batch_of(examples, micro_batch);
    result.phases.data += watch.restart();
    const auto sums = loss_of(batch, step, micro_batch, result.phases, watch);
    if (buckets_ && &micro_batch == &work.own.back()) buckets_->begin_last();
    (sums.smoothed / (static_cast<double>(result.target_tokens) / scale())).backward();
    result.phases.backward += watch.restart();
    numbers.push_back(sums.smoothed.detach());
    numbers.push_back(sums.nll);
  }
  return numbers.empty() ? torch::Tensor() : torch::stack(numbers).to(torch::kDouble);
}

UpdateResult Updater::try_run(const Examples& examples, const Update& update, double learning_rate,
                              std::int64_t step, const Update* next) {
  UpdateResult result;
  auto& phases = result.phases;
  Stopwatch watch;
  const auto work = work_of(examples, update);
  count_tokens(examples, work.all, static_cast<double>(objective_.passes()), result);
  if (buckets_)
    buckets_->begin();
  else
    clear_gradients();
  auto numbers = add_gradients(examples, work, step, result, watch);
  torch::Tensor interrupted;  // how many of several processes are
  if (buckets_) {
    numbers = exchange(numbers, work);
    interrupted = numbers.slice(0, -1);
    numbers = numbers.slice(0, 0, -1);
    phases.exchange += watch.restart();
  }
  if (settings_.trained) settings_.trained->project_gradients();
  // The device itself decides whether the step counts, so that the host does not wait for its answer.
  const auto norm = optimizer_.gradient_norm();
  const auto useless = torch::isfinite(norm + numbers.sum()).logical_not().to(torch::kFloat);
  const auto clip =
      settings_.clip_sum ? settings_.clip / static_cast<double>(result.target_tokens) : settings_.clip;
  {
    const runtime::PrecisionScope scope(settings_.precision);
    optimizer_.step(learning_rate, {.divisor = Optimizer::divisor(norm, clip, scale()), .useless = useless});
  }
  if (settings_.shards) settings_.shards->share_parameters();
  if (settings_.trained) settings_.trained->merge();
  objective_.after_step(useless);
  working_.refresh();
  phases.optimizer += watch.restart();
  if (next) {
    const auto next_work = work_of(examples, *next);
    if (!next_work.own.empty()) prepare(examples, next_work.own.front());
  }
  phases.data += watch.restart();
  std::vector<torch::Tensor> read{numbers, norm.unsqueeze(0)};
  if (interrupted.defined()) read.push_back(interrupted);
  numbers = torch::cat(read).cpu();
  phases.waiting += watch.restart();
  if (interrupted.defined()) result.interrupted = numbers[-1].item<double>() > 0;
  judge(numbers, work.all, result);
  return result;
}

/// Sums the results of all processes. own: loss and nll of this process's micro-batches, (2 n), fp64;
/// undefined if it has none. → (2 n + 1): loss and nll of all micro-batches, then the number of interrupted
/// processes
torch::Tensor Updater::exchange(const torch::Tensor& own, const Work& work) {
  buckets_->send_rest();
  const auto count = static_cast<std::int64_t>(2 * work.all.size());
  auto numbers =
      torch::zeros({count + 1}, torch::dtype(torch::kDouble).device(device_of(objective_.module())));
  if (own.defined()) numbers.narrow(0, static_cast<std::int64_t>(2 * work.begin), own.numel()).copy_(own);
  if (is_interrupted()) numbers[count] = 1.0;
  auto pending = settings_.others->begin_sum(numbers);  // along with the gradients
  buckets_->finish();
  pending.wait();
  return numbers;
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

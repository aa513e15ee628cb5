// The part of an update that a device computes: gradients, their sum over processes, and the step.
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/base/random.h"
#include "transformer/ops/dropout.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"
#include "transformer/train/update.h"

namespace transformer::train {

using Update = Examples::Update;

std::uint64_t Updater::seed_of_pass(std::int64_t pass) const {
  return pass == 0 ? settings_.seed : mix(settings_.seed, pass);
}

ops::TokenLoss Updater::loss_of(const std::any& batch, const Given& given,
                                const Examples::MicroBatch& micro_batch, PhaseSeconds& phases,
                                Stopwatch& watch) {
  const runtime::PrecisionScope scope(settings_.precision);
  const ops::WorkingWeights::Use use(working_);
  std::vector<torch::Tensor> outputs;
  for (std::int64_t pass = 0; pass < objective_.passes(); ++pass) {
    const ops::DropoutScope dropout(seed_of_pass(pass), given.step, micro_batch,
                                    pass == 0 ? given.numbers.seed : torch::Tensor());
    outputs.push_back(objective_.outputs(batch));
  }
  phases.forward += watch.restart();
  auto sums = objective_.loss(outputs, batch);
  phases.loss += watch.restart();
  return sums;
}

/// The gradients of this process's micro-batches. With `send` those of several processes go out while they
/// are computed. → loss and nll of each micro-batch, (2 n), fp64; undefined without any. They stay on the
/// device: to read one back waits for all work before it.
torch::Tensor Updater::gradients(const Given& given, bool send, UpdateResult& result, Stopwatch& watch) {
  if (buckets_)
    buckets_->begin();
  else
    clear_gradients();
  std::vector<torch::Tensor> numbers;
  for (const auto& micro_batch : given.work.own) {
    if (!buckets_ && is_interrupted()) throw Interrupted();
    const auto batch = given.batch_of(micro_batch);
    result.phases.data += watch.restart();
    const auto sums = loss_of(batch, given, micro_batch, result.phases, watch);
    if (send && buckets_ && &micro_batch == &given.work.own.back()) buckets_->begin_last();
    (sums.smoothed / given.numbers.divisor.to(sums.smoothed.scalar_type())).backward();
    result.phases.backward += watch.restart();
    numbers.push_back(sums.smoothed.detach());
    numbers.push_back(sums.nll);
  }
  return numbers.empty() ? torch::Tensor() : torch::stack(numbers).to(torch::kDouble);
}

/// losses: of all micro-batches
void Updater::make_step(const Given& given, const torch::Tensor& losses, const torch::Tensor& norm,
                        const UpdateResult& result) {
  // The device itself decides whether the step counts, so that the host does not wait for its answer.
  const auto useless = torch::isfinite(norm + losses.sum()).logical_not().to(torch::kFloat);
  const auto clip =
      settings_.clip_sum ? settings_.clip / static_cast<double>(result.target_tokens) : settings_.clip;
  {
    const runtime::PrecisionScope scope(settings_.precision);
    optimizer_.step(
        given.learning_rate,
        {.divisor = Optimizer::divisor(norm, clip, scale()), .useless = useless, .rate = given.numbers.rate});
  }
  if (settings_.shards) settings_.shards->share_parameters();
  if (settings_.trained) settings_.trained->merge();
  objective_.after_step(useless);
}

/// Exchanges gradients and losses, and makes the step. → loss and nll of all micro-batches, the gradient's
/// norm and, of several processes, how many are interrupted, fp64, on the device
torch::Tensor Updater::use_gradients(const Given& given, torch::Tensor losses, UpdateResult& result,
                                     Stopwatch& watch) {
  torch::Tensor interrupted;
  if (buckets_) {
    const auto sums = exchange(losses, given.work);
    interrupted = sums.slice(0, -1);
    losses = sums.slice(0, 0, -1);
    result.phases.exchange += watch.restart();
  }
  if (settings_.trained) settings_.trained->project_gradients();
  const auto norm = optimizer_.gradient_norm();
  make_step(given, losses, norm, result);
  std::vector<torch::Tensor> numbers{losses, norm.unsqueeze(0)};
  if (interrupted.defined()) numbers.push_back(interrupted);
  return torch::cat(numbers);
}

torch::Tensor Updater::compute(const Given& given, UpdateResult& result, Stopwatch& watch) {
  return use_gradients(given, gradients(given, /*send=*/true, result, watch), result, watch);
}

/// Exchanges are no part of a graph: processes have other shapes, and some compute what others replay.
torch::Tensor Updater::compute_by_graph(const std::any& batch, const Given& given, UpdateResult& result,
                                        Stopwatch& watch) {
  const auto of = [&](const std::any& other, const UpdateNumbers& numbers) {
    return Given{given.work, [&](const auto&) { return other; }, numbers, given.learning_rate, given.step};
  };
  if (!buckets_)
    return graphs_->run(batch, given.numbers, [&](const std::any& other, const UpdateNumbers& numbers) {
      return compute(of(other, numbers), result, watch);
    });
  const auto fill = [&](const std::any& other, const UpdateNumbers& numbers) {
    auto losses = gradients(of(other, numbers), /*send=*/false, result, watch);
    buckets_->fill();
    return losses;
  };
  torch::Tensor losses;
  try {
    losses = graphs_->run(batch, given.numbers, fill);
  } catch (const std::exception& error) {
    if (graphs() == 0 || !runtime::is_out_of_memory(error)) throw;
  }
  if (!losses.defined()) {  // outside the handler: the exception keeps alive what its stack refers to
    graphs_->forget();      // whose memory may be enough
    losses = fill(batch, given.numbers);
  }
  buckets_->filled();
  return use_gradients(given, losses, result, watch);
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

}  // namespace transformer::train

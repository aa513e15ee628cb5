#include "transformer/train/dry_run.h"

#include <torch/cuda.h>

#include <algorithm>

#include "transformer/base/stopwatch.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/runtime/memory.h"
#include "transformer/train/first_epoch.h"
#include "transformer/train/micro_tokens.h"
#include "transformer/train/optimizer_table.h"
#include "transformer/train/update.h"

namespace transformer::train {
namespace {

using MicroBatch = Examples::MicroBatch;

double bytes_of(const torch::nn::Module& module) {
  double bytes = 0;
  for (const auto& parameter : module.parameters()) bytes += static_cast<double>(parameter.nbytes());
  return bytes;
}

/// What updates of one micro-batch each took.
struct Measured {
  double updates = 0, tokens = 0;
  double seconds = 0;
  double optimizer = 0;  ///< of the seconds; on a GPU, where operations are only queued, next to nothing
};

void run_one(Updater& updater, const Examples& examples, const MicroBatch& micro_batch,
             const torch::Device& device, Measured& measured) {
  const Stopwatch watch;
  const auto result = updater.run(examples, {micro_batch}, 1e-4, 1);
  if (device.is_cuda()) torch::cuda::synchronize(device.index());
  ++measured.updates;
  measured.tokens += static_cast<double>(result.source_tokens + result.target_tokens);
  measured.seconds += watch.seconds();
  measured.optimizer += result.phases.optimizer;
}

}  // namespace

DryRun dry_run(Task& task, const config::Experiment& given, torch::ScalarType precision, double seconds,
               const std::atomic<bool>* interrupted) {
  const auto experiment = with_micro_tokens(task, given, precision, interrupted);
  auto& objective = task.training();
  auto& module = objective.module();
  const auto device = device_of(module);
  module.train();
  const auto parameters = count_parameters(module);  // before some are frozen
  TrainedParts trained(module, experiment.train, experiment.seed);
  const auto optimizer = make_optimizer(trained.parameters(), experiment.train);
  auto settings = settings_of(experiment.train, precision, interrupted);
  settings.trained = &trained;
  Updater updater(objective, *optimizer, settings);
  const FirstEpoch epoch(objective, experiment.seed);
  const auto& examples = *epoch.examples;

  DryRun result{
      .parameters = parameters,
      .steps = experiment.train.steps,
      .updates_per_epoch = epoch.updates,
      .source_tokens = epoch.source_tokens / epoch.updates,
      .target_tokens = epoch.target_tokens / epoch.updates,
      .flops = static_cast<double>(objective.passes()) * examples.flops(epoch.micro_batches) / epoch.updates,
      .micro_tokens = *experiment.train.micro_tokens,
      .largest_rows = epoch.largest_size.rows,
      .largest_source = epoch.largest_size.source_length,
      .largest_target = epoch.largest_size.target_length};

  constexpr std::size_t kWarmUp = 3, kMost = 200;
  const auto count = epoch.micro_batches.size();
  const auto warm_up = count > 2 * kWarmUp ? kWarmUp : 0;
  const auto stride = std::max<std::size_t>(1, count / kMost);
  Measured ignored, measured;
  run_one(updater, examples, epoch.largest, device, ignored);
  for (std::size_t i = 0, done = 0; i < count && (done <= warm_up || measured.seconds < seconds);
       i += stride, ++done)
    run_one(updater, examples, epoch.micro_batches[i], device, done < warm_up ? ignored : measured);
  result.peak_memory = runtime::peak_memory(device);
  // The copy of the weights and of what the optimiser keeps for them.
  const auto copied = 1.0 + static_cast<double>(optimizer->kept_numbers());
  if (device.is_cpu()) result.peak_memory += copied * bytes_of(module);
  // A real update has several micro-batches and one step of the optimiser.
  result.seconds = (measured.seconds - measured.optimizer) / measured.tokens *
                       (result.source_tokens + result.target_tokens) +
                   measured.optimizer / measured.updates;
  return result;
}

}  // namespace transformer::train

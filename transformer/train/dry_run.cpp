#include "transformer/train/dry_run.h"

#include <torch/cuda.h>

#include <algorithm>
#include <chrono>

#include "transformer/data/batching.h"
#include "transformer/data/prepared.h"
#include "transformer/nn/memory.h"
#include "transformer/store/model_directory.h"
#include "transformer/train/run_setup.h"
#include "transformer/train/update.h"

namespace transformer::train {
namespace {

using MicroBatch = data::BatchPlan::MicroBatch;

/// The epoch's micro-batches with all that an update's averages need.
struct Epoch {
  std::vector<MicroBatch> micro_batches;
  models::TokenCounts counts;
  double updates = 0;
};

Epoch first_epoch(const data::Dataset& data, const config::Experiment& experiment) {
  const auto& options = experiment.train;
  const data::BatchPlan plan(data, {options.source_tokens, options.target_tokens, options.micro_tokens},
                             static_cast<std::uint64_t>(experiment.seed), 0);
  Epoch epoch{.micro_batches = {}, .counts = {}, .updates = static_cast<double>(plan.size())};
  for (std::int64_t i = 0; i < plan.size(); ++i)
    for (const auto& micro_batch : plan.update(i)) epoch.micro_batches.push_back(micro_batch);
  for (std::int64_t i = 0; i < data.size(); ++i)
    epoch.counts.add_pair(std::ssize(data.source(i)) + 1, std::ssize(data.target(i)) + 1);
  return epoch;
}

double run_one(Updater& updater, const MicroBatch& micro_batch, const torch::Device& device, double& tokens) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = updater.run({micro_batch}, 1e-4);
  if (device.is_cuda()) torch::cuda::synchronize(device.index());
  tokens += static_cast<double>(result.source_tokens + result.target_tokens);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

DryRun dry_run(const config::Experiment& experiment, const torch::Device& device, torch::ScalarType precision,
               double seconds, const std::atomic<bool>* interrupted) {
  const data::Prepared data(experiment.data);
  check_text(data.dev, data.paths.dev());
  check_lengths(data.dev, experiment.model, data.paths.dev());
  const models::VocabularySizes vocabulary{data.train.source_vocabulary(), data.train.target_vocabulary()};
  auto model = make_model(experiment, vocabulary, device);
  model->train();
  Adam adam(store::named_parameters(model), experiment.train);
  Updater updater(model, adam, data.train,
                  {.precision = precision,
                   .label_smoothing = experiment.train.label_smoothing,
                   .clip = experiment.train.clip,
                   .interrupted = interrupted});
  const auto epoch = first_epoch(data.train, experiment);

  DryRun result{.parameters = models::count_parameters(experiment.model, vocabulary).total(),
                .steps = experiment.train.steps,
                .updates_per_epoch = epoch.updates,
                .source_tokens = epoch.counts.source / epoch.updates,
                .target_tokens = epoch.counts.target / epoch.updates,
                .flops = models::training_flops(experiment.model, vocabulary, epoch.counts) / epoch.updates};
  const MicroBatch* largest = nullptr;
  std::int64_t most = -1;
  for (const auto& micro_batch : epoch.micro_batches) {
    const auto size = data::batch_size(data.train, micro_batch);
    if (size.padded_tokens() <= most) continue;
    most = size.padded_tokens();
    largest = &micro_batch;
    result.largest_rows = size.rows;
    result.largest_source = size.source_length;
    result.largest_target = size.target_length;
  }

  constexpr std::size_t kWarmUp = 3, kMost = 200;
  const auto count = epoch.micro_batches.size();
  const auto warm_up = count > 2 * kWarmUp ? kWarmUp : 0;
  const auto stride = std::max<std::size_t>(1, count / kMost);
  double ignored = 0, tokens = 0, measured = 0;
  run_one(updater, *largest, device, ignored);
  for (std::size_t i = 0, done = 0; i < count && (done <= warm_up || measured < seconds);
       i += stride, ++done) {
    if (done < warm_up)
      run_one(updater, epoch.micro_batches[i], device, ignored);
    else
      measured += run_one(updater, epoch.micro_batches[i], device, tokens);
  }
  result.peak_memory = nn::peak_memory(device);
  result.seconds = measured / tokens * (result.source_tokens + result.target_tokens);
  return result;
}

}  // namespace transformer::train

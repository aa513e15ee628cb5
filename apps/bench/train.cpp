#include "apps/bench/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "apps/bench/gemm.h"
#include "apps/bench/measured.h"
#include "apps/bench/profile.h"
#include "apps/common/translation_output.h"
#include "transformer/base/error.h"
#include "transformer/base/stopwatch.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/distributed/collectives.h"
#include "transformer/runtime/cuda.h"
#include "transformer/runtime/device.h"
#include "transformer/runtime/memory.h"
#include "transformer/tasks/next_tokens.h"
#include "transformer/train/optimizer_table.h"

namespace transformer::bench {
namespace {

constexpr std::chrono::seconds kTimeout{120};
constexpr double kLearningRate = 1e-4;

/// In the order of a shuffled epoch; one epoch after another.
class Updates {
 public:
  Updates(const data::Dataset& data, const TrainSettings& settings) : data_(data), settings_(settings) {}

  const data::BatchPlan::Update& next() {
    if (!plan_ || index_ == plan_->size()) {
      // An update of one batch is closed when it has its tokens, whatever padding they would need. Of
      // several, each is closed before it could hold more.
      constexpr std::int64_t unlimited = 1 << 30;
      const auto batch = settings_.accumulate == 1 ? unlimited : settings_.shape.tokens * 11 / 10;
      const data::BatchLimits limits{.source_tokens = unlimited,
                                     .target_tokens = settings_.accumulate * settings_.shape.tokens,
                                     .bucket_tokens = settings_.bucket_tokens.value_or(batch),
                                     .micro_tokens = batch};
      plan_.emplace(data::lengths_of(data_), limits, static_cast<std::uint64_t>(settings_.seed), epoch_++);
      index_ = 0;
    }
    return plan_->update(index_++);
  }

 private:
  const data::Dataset& data_;
  const TrainSettings& settings_;
  std::optional<data::BatchPlan> plan_;
  std::int64_t index_ = 0, epoch_ = 0;
};

double padded_positions(const data::Dataset& data, const data::BatchPlan::Update& update) {
  std::int64_t positions = 0;
  for (const auto& indices : update) positions += data::batch_size(data, indices).padded_tokens();
  return static_cast<double>(positions);
}

/// As many as should take the time: the warm-up, by rank 0's clock, says how long one takes.
std::int64_t agreed_steps(distributed::Group& group, double seconds, std::int64_t warmup,
                          double warmup_seconds) {
  const auto measured = seconds / warmup_seconds * static_cast<double>(warmup);
  return std::stoll(group.from_first(std::to_string(warmup + std::max(2L, std::lround(measured)))));
}

/// The update is waited for, and what it does is looked at, as far as the settings ask for it.
void profile(const std::function<void()>& update, const TrainSettings& settings) {
  const auto whole = [&] {
    update();
    if (settings.device.is_cuda()) torch::cuda::synchronize(settings.device.index());
  };
  if (!settings.trace.empty()) trace(whole, settings.device, settings.trace);
  if (settings.mark) mark_for_profiler(whole);
}

/// Runs updates for the time that the settings say, the same number in each process.
Measured run_updates(train::Updater& updater, const tasks::NextTokens& objective, const data::Dataset& data,
                     const TrainSettings& settings) {
  Updates updates(data, settings);
  std::optional<apps::TranslationOutput> batches;
  if (!settings.batches.empty()) batches.emplace(settings.batches, /*overwrite=*/true);
  const auto warmup = std::max<std::int64_t>(2, settings.warmup / settings.accumulate);
  const Stopwatch warming_up;
  Measured measured;
  auto steps = std::numeric_limits<std::int64_t>::max();  // where others have to make as many
  const auto goes_on = [&](std::int64_t step) {
    return step < warmup || !measured.has_window() ||
           (settings.group ? step < steps : measured.seconds() < settings.seconds);
  };
  auto update = updates.next();
  std::int64_t step = 0;
  for (; goes_on(step); ++step) {
    if (step == warmup && settings.group)
      steps = agreed_steps(*settings.group, settings.seconds, warmup, warming_up.seconds());
    if (batches) batches->write(fmt::format("{}\n", fmt::join(update.front(), " ")));
    auto next = updates.next();
    const Stopwatch watch;
    const auto result = updater.run(objective.examples(), update, kLearningRate, step,
                                    settings.prepare_next ? &next : nullptr);
    if (settings.device.is_cuda()) torch::cuda::synchronize(settings.device.index());
    const auto took = watch.seconds();
    if (result.interrupted) throw Interrupted();
    if (step >= warmup) measured.add(result, took, padded_positions(data, update));
    update = std::move(next);
  }
  if (batches) batches->finish();
  profile([&] { updater.run(objective.examples(), update, kLearningRate, step); }, settings);
  return measured;
}

}  // namespace

TrainSpeed time_training(const data::Dataset& data, const TrainSettings& settings) {
  const models::VocabularySizes vocabulary{data.source_vocabulary(), data.target_vocabulary()};
  runtime::seed_generators(static_cast<std::uint64_t>(settings.seed));
  models::EncoderDecoder model(settings.shape.model, vocabulary);
  runtime::move_to(*model, settings.device);
  model->train();
  const auto optimizer = train::make_optimizer(checkpoints::named_parameters(model), {});
  tasks::NextTokens objective(model, data, {});
  std::unique_ptr<distributed::Collectives> others;
  if (settings.group) others = std::make_unique<distributed::Collectives>(*settings.group, kTimeout);
  train::Updater updater(objective, *optimizer,
                         {.precision = settings.precision,
                          .interrupted = settings.group ? &settings.group->interrupted() : nullptr,
                          .others = others.get(),
                          .graphs = true});
  auto speed = run_updates(updater, objective, data, settings).speed();
  speed.peak_memory = runtime::peak_memory(settings.device);  // before the large matrices
  if (settings.group) settings.group->meet();
  const auto processes = settings.group ? settings.group->size() : 1;
  speed.gemm_peak = gemm_peak(settings.precision, settings.device) * static_cast<double>(processes);
  return speed;
}

}  // namespace transformer::bench

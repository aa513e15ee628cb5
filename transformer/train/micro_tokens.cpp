#include "transformer/train/micro_tokens.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/runtime/memory.h"
#include "transformer/train/first_epoch.h"
#include "transformer/train/optimizer_table.h"
#include "transformer/train/update.h"

namespace transformer::train {
namespace {

/// Puts back, at its end, what an update changes: weights, gradients (there are none before), the module's
/// mode and the states of the generators.
class Untouched {
 public:
  explicit Untouched(torch::nn::Module& module) : module_(module), training_(module.is_training()) {
    for (const auto& weight : module.parameters())
      weights_.push_back(weight.detach().to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true));
    generators_.emplace_back(at::detail::getDefaultCPUGenerator());
    if (const auto device = device_of(module); !device.is_cpu())
      generators_.emplace_back(at::globalContext().defaultGenerator(device));
    for (auto& generator : generators_) {
      const std::lock_guard lock(generator.mutex());
      states_.push_back(generator.get_state());
    }
  }
  ~Untouched() {
    const torch::NoGradGuard no_gradients;
    auto parameters = module_.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].mutable_grad().reset();
      parameters[i].copy_(weights_[i]);
    }
    for (std::size_t i = 0; i < generators_.size(); ++i) {
      const std::lock_guard lock(generators_[i].mutex());
      generators_[i].set_state(states_[i]);
    }
    module_.train(training_);
  }
  Untouched(const Untouched&) = delete;
  Untouched& operator=(const Untouched&) = delete;

 private:
  torch::nn::Module& module_;
  bool training_;
  std::vector<torch::Tensor> weights_, states_;
  std::vector<at::Generator> generators_;
};

class Trial {
 public:
  Trial(Task& task, const config::Experiment& experiment, const UpdateSettings& settings, std::int64_t free)
      : task_(task),
        experiment_(experiment),
        settings_(settings),
        device_(device_of(task.module())),
        free_(free) {
    settings_.cut_when_short = false;
    task.module().train();
  }

  std::int64_t find() {
    const auto most = for_whole_updates();
    std::vector<std::int64_t> tried;
    for (std::int64_t divisor = 1;; divisor = next_divisor(divisor)) {
      const auto tokens = std::max<std::int64_t>(1, most / divisor);
      task_.training().set_micro_tokens(tokens);
      tried.push_back(tokens);
      const FirstEpoch epoch(task_.training(), experiment_.seed);
      const bool found = fits(epoch);
      release();
      if (found) {
        announce(tokens, epoch);
        return tokens;
      }
      if (epoch.largest_size.rows == 1) refuse(tried, epoch.largest_size);
    }
  }

 private:
  /// 1, 2, 3, 4, 6, 8, 12, 16 and so on.
  static std::int64_t next_divisor(std::int64_t divisor) {
    if (divisor == 1) return 2;
    return std::has_single_bit(static_cast<std::uint64_t>(divisor)) ? divisor / 2 * 3 : divisor / 3 * 4;
  }

  /// Tokens of the longer side in an update that is closed, by the limit that is reached first.
  std::int64_t full_update() {
    const auto& options = experiment_.train;
    const FirstEpoch epoch(task_.training(), experiment_.seed);
    const auto source = static_cast<double>(options.source_tokens),
               target = static_cast<double>(options.target_tokens);
    auto updates = std::min(target / epoch.target_tokens, source / epoch.source_tokens);
    if (options.sentences > 0)
      updates = std::min(
          updates, static_cast<double>(options.sentences) / static_cast<double>(task_.training().size()));
    return std::llround(updates * std::max(epoch.source_tokens, epoch.target_tokens));
  }

  /// With which nearly every update is one micro-batch: its tokens and 10 %, or as much more as it takes
  /// where batches mix lengths, as those of a small text do.
  std::int64_t for_whole_updates() {
    const auto tokens = full_update();
    for (const std::int64_t percent : {110, 125, 150}) {
      task_.training().set_micro_tokens(tokens * percent / 100);
      const FirstEpoch epoch(task_.training(), experiment_.seed);
      if (static_cast<double>(epoch.micro_batches.size()) < 1.05 * epoch.updates)
        return tokens * percent / 100;
    }
    return tokens * 2;
  }

  bool fits(const FirstEpoch& epoch) {
    auto& objective = task_.training();
    try {
      const auto reserve = torch::empty({free_ / 10}, torch::dtype(torch::kByte).device(device_));
      TrainedParts trained(objective.module(), experiment_.train, experiment_.seed);
      const auto optimizer = make_optimizer(trained.parameters(), experiment_.train);
      settings_.trained = &trained;
      Updater updater(objective, *optimizer, settings_);
      updater.run(*epoch.examples, {epoch.largest, epoch.largest}, /*learning_rate=*/1e-4, /*step=*/1);
      return true;
    } catch (const std::exception& error) {
      if (!runtime::is_out_of_memory(error)) throw;
    }
    return false;
  }

  /// What an attempt leaves on the device.
  void release() {
    for (auto& weight : task_.module().parameters()) weight.mutable_grad().reset();
    runtime::release_kept_memory(device_);
  }

  static void announce(std::int64_t tokens, const FirstEpoch& epoch) {
    const auto count = fmt::format("{:.3g}", static_cast<double>(epoch.micro_batches.size()) / epoch.updates);
    spdlog::info("train.micro_tokens: {} fits, an update of {:.0f} + {:.0f} tokens is {} micro-batch{}",
                 tokens, epoch.source_tokens / epoch.updates, epoch.target_tokens / epoch.updates, count,
                 count == "1" ? "" : "es");
  }

  [[noreturn]] void refuse(const std::vector<std::int64_t>& tried, const data::BatchSize& smallest) const {
    throw RunError(
        fmt::format("train.micro_tokens: nothing fits into the memory of {}, of which {:.0f} MiB were free "
                    "and a tenth was held in reserve: tried {}, the last with a batch of one example of {} "
                    "source and {} target tokens; a smaller model, or a smaller data.max_tokens, is needed",
                    device_.str(), static_cast<double>(free_) / (1 << 20), fmt::join(tried, ", "),
                    smallest.source_length, smallest.target_length));
  }

  Task& task_;
  const config::Experiment& experiment_;
  UpdateSettings settings_;
  torch::Device device_;
  std::int64_t free_;  ///< bytes of the device's memory, before
};

}  // namespace

config::Experiment with_micro_tokens(Task& task, config::Experiment experiment, torch::ScalarType precision,
                                     const std::atomic<bool>* interrupted) {
  auto& bucket = experiment.train.bucket_tokens;
  if (!bucket) bucket = kBucketTokens;
  for (auto* objective : {&task.training(), &task.dev()}) objective->set_bucket_tokens(*bucket);
  auto& chosen = experiment.train.micro_tokens;
  if (!chosen && task.training().takes_whole_updates())
    chosen = std::max(experiment.train.source_tokens, experiment.train.target_tokens);
  if (!chosen) {
    const auto device = device_of(task.module());
    runtime::release_kept_memory(device);
    if (const auto free = runtime::free_memory(device)) {
      const Untouched untouched(task.module());
      chosen = Trial(task, experiment, settings_of(experiment.train, precision, interrupted), *free).find();
    } else {
      chosen = kUntriedMicroTokens;
    }
  }
  for (auto* objective : {&task.training(), &task.dev()}) objective->set_micro_tokens(*chosen);
  return experiment;
}

}  // namespace transformer::train

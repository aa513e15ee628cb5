#include "transformer/train/checkpoint.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <torch/cuda.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <span>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/own_files.h"
#include "transformer/base/text_file.h"
#include "transformer/checkpoints/model_files.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/train/conditions.h"

namespace transformer::train {
namespace fs = std::filesystem;
namespace {

bool is_interim(const fs::path& checkpoint) {
  try {
    const auto file = checkpoint / kStateFile;
    return train_state_from_json(read_file(file), file.string()).interim && !foreign_entry(checkpoint);
  } catch (const InputError&) {
    return false;  // damaged: not ours to delete
  }
}

/// A crash may have left one that the next should have replaced.
void remove_interim_before(const checkpoints::RunDirectory& run, const TrainState& state) {
  for (const auto& checkpoint : run.list_checkpoints()) {
    const bool best = state.best && checkpoint.step == state.best_step;  // where a better one is lost
    if (checkpoint.step < state.step && !best && is_interim(checkpoint.path)) remove_folder(checkpoint.path);
  }
}

/// Averages are made of due checkpoints. Others, such as the best so far, must not crowd these out.
void prune(const checkpoints::RunDirectory& run, const TrainState& state, std::int64_t save_every,
           std::int64_t keep) {
  std::int64_t later = 0, later_due = 0;
  for (const auto& [step, path] : run.newest_first()) {
    const bool due = step % save_every == 0;
    const bool latest = later < keep || (due && later_due < keep);
    ++later;
    if (due) ++later_due;
    const bool kept = latest || step == state.step || (state.best && step == state.best_step);
    if (!kept && !foreign_entry(path)) remove_folder(path);  // else somebody keeps something there
  }
}

/// Empty for a whole checkpoint. Throws InputError for one that is not to be read, which says nothing of it.
std::string damage(const fs::path& folder) {
  const std::vector<std::string> files{checkpoints::kWeightsFile, checkpoints::kConfigFile, kOptimizerFile,
                                       kStateFile};
  for (const auto& name : files)
    if (::access((folder / name).c_str(), R_OK) != 0 && errno != ENOENT)
      throw_file_error(folder / name, "reading", errno);
  try {
    verify_checksums(folder, files);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// On this thread alone: LibTorch's operations would start others, beside those that train.
bool is_finite(const torch::Tensor& weight) {
  const auto numbers = weight.detach().to(torch::kCPU, torch::kFloat).contiguous();
  const std::span values(numbers.const_data_ptr<float>(), static_cast<std::size_t>(numbers.numel()));
  bool finite = true;
  for (const float value : values) finite &= std::isfinite(value);
  return finite;
}

void check_finite(const checkpoints::NamedTensors& weights, const fs::path& checkpoint) {
  for (const auto& [name, weight] : weights)
    if (!is_finite(weight))
      throw RunError(
          fmt::format("{}: not written, because '{}' holds NaN or infinity: the training has diverged; a "
                      "lower train.factor or a train.clip may help",
                      checkpoint.string(), name));
}

void load(const fs::path& folder, const TrainingParts& parts) {
  const auto state_file = folder / kStateFile, weights_file = folder / checkpoints::kWeightsFile,
             optimizer_file = folder / kOptimizerFile;
  check_unchanged(checkpoints::load_model_experiment(folder), parts.experiment,
                  (folder / checkpoints::kConfigFile).string());
  parts.task.check_files(folder);
  auto state = train_state_from_json(read_file(state_file), state_file.string());
  checkpoints::assign_weights(parts.task.module(), checkpoints::load_weights(weights_file),
                              weights_file.string());
  parts.optimizer.restore(checkpoints::load_safetensors(optimizer_file), state.steps_made(),
                          optimizer_file.string());
  if (parts.trained && !parts.experiment.train.adapters.empty())
    parts.trained->restore(checkpoints::load_safetensors(folder / kAdaptersFile),
                           checkpoints::load_safetensors(folder / kAdaptersBaseFile), folder.string());
  parts.state = std::move(state);
}

/// A crash may have come between a checkpoint and its links. If the best checkpoint is gone, this one becomes
/// "best", and is kept, until another one beats the score of the lost one.
void repair_links(const checkpoints::RunDirectory& run, TrainState& state) {
  if (run.linked_step("last") != state.step) run.link("last", state.step);
  if (state.best && !fs::exists(run.checkpoint(state.best_step))) state.best_step = state.step;
  const auto best = state.best ? state.best_step : state.step;
  if (run.linked_step("best") != best) run.link("best", best);
}

}  // namespace

Snapshot snapshot_of(const TrainingParts& parts) {
  Snapshot snapshot{.weights = checkpoints::named_parameters(parts.task.module()),
                    .moments = parts.optimizer.state(),
                    .state = parts.state};
  if (parts.trained) {
    snapshot.adapters = parts.trained->adapters();
    snapshot.base = parts.trained->base();
  }
  return snapshot;
}

Snapshot copy_to_host(const Snapshot& training) {
  const torch::NoGradGuard no_gradients;
  auto copy = training;
  std::optional<torch::Device> cuda;
  for (auto* tensors : {&copy.weights, &copy.moments, &copy.adapters, &copy.base}) {
    for (auto& [name, tensor] : *tensors) {
      const auto device = tensor.device();
      if (device.is_cuda()) cuda = device;
      tensor = device.is_cpu() ? tensor.clone()
                               : tensor.to(torch::kCPU, /*non_blocking=*/device.is_cuda(), /*copy=*/true);
    }
  }
  if (cuda) torch::cuda::synchronize(cuda->index());  // once for all
  return copy;
}

void save_checkpoint(const checkpoints::RunDirectory& run, const Task& task,
                     const config::Experiment& experiment, Snapshot snapshot, std::int64_t keep) {
  const auto& state = snapshot.state;
  const auto step = state.step;
  check_finite(snapshot.weights, run.checkpoint(step));
  AtomicDirectory folder(run.checkpoint(step));
  checkpoints::write_model_files(folder.temporary(), snapshot.weights, experiment);
  snapshot.weights.clear();
  task.write_files(folder.temporary());
  checkpoints::save_safetensors(folder.temporary() / kOptimizerFile, snapshot.moments);
  snapshot.moments.clear();
  if (!snapshot.adapters.empty()) {
    checkpoints::save_safetensors(folder.temporary() / kAdaptersFile, snapshot.adapters,
                                  {{"rank", std::to_string(experiment.train.adapter_rank)},
                                   {"alpha", fmt::format("{}", experiment.train.adapter_alpha)}});
    checkpoints::save_safetensors(folder.temporary() / kAdaptersBaseFile, snapshot.base);
  }
  write_file_atomically(folder.temporary() / kStateFile, to_json(state));
  write_checksums(folder.temporary());
  folder.commit(AtomicDirectory::Existing::replace);
  run.link("last", step);
  // Before the first evaluation the newest counts as the best: an older one may be pruned.
  if (!state.best || state.best_step == step) run.link("best", step);
  sync_to_disk(run.checkpoints(), run.checkpoints());  // before others go
  remove_interim_before(run, state);
  if (!state.interim) prune(run, state, experiment.train.save_every, keep);
}

void save_checkpoint(const checkpoints::RunDirectory& run, const TrainingParts& parts, std::int64_t keep) {
  save_checkpoint(run, parts.task, parts.experiment, snapshot_of(parts), keep);
}

bool load_newest_checkpoint(const checkpoints::RunDirectory& run, const TrainingParts& parts) {
  for (const auto& checkpoint : run.newest_first()) {
    if (const auto found = damage(checkpoint.path); !found.empty()) {
      spdlog::warn("passing over a damaged checkpoint, now {}: {}",
                   run.set_aside(checkpoint).filename().string(), found);
      continue;
    }
    load(checkpoint.path, parts);
    repair_links(run, parts.state);
    remove_interim_before(run, parts.state);
    parts.state.interim = false;
    return true;
  }
  return false;
}

}  // namespace transformer::train

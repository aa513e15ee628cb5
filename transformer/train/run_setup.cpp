#include "transformer/train/run_setup.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/file_limit.h"
#include "transformer/base/log.h"
#include "transformer/base/output_place.h"
#include "transformer/base/temporary.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/train/conditions.h"
#include "transformer/train/step_lines.h"

namespace transformer::train {
namespace fs = std::filesystem;
namespace {

void refuse_existing_training(const checkpoints::RunDirectory& run) {
  if (fs::exists(run.config()) || !run.list_checkpoints().empty())
    throw InputError(fmt::format("{}: holds a training already; go on with --resume or name another --run",
                                 run.path.string()));
}

/// A training makes the folder of its checkpoints before its configuration. A model has no such folder, and
/// who keeps an experiment's configuration under that name has none either.
void refuse_other_folders(const checkpoints::RunDirectory& run) {
  check_output_folder(run.path);
  if (!fs::exists(run.config()) || fs::exists(run.checkpoints()) || fs::exists(run.metrics())) return;
  throw InputError(fmt::format(
      "{}: expected a training's folder or none, found {} without {}: name another --run", run.path.string(),
      run.config().filename().string(), run.checkpoints().filename().string()));
}

/// Before a run begins: what it is going to write must not be there from elsewhere.
void refuse_foreign_files(const checkpoints::RunDirectory& run, const Task& task) {
  if (fs::exists(run.config()) || !run.list_checkpoints().empty()) return;
  std::vector<fs::path> files{run.metrics(), run.samples()};
  for (const auto& name : task.file_names()) files.push_back(run.path / name);
  for (const auto& file : files)
    if (fs::exists(file))
      throw InputError(
          fmt::format("{}: expected no such file where no training has begun, found one, which is not "
                      "replaced: name another --run",
                      file.string()));
  // A training that ended early leaves these.
  for (const auto& folder : {run.checkpoints(), run.tensorboard()})
    if (lies_at(folder) && !fs::is_directory(folder))
      throw InputError(
          fmt::format("{}: expected a folder or nothing, found a file: name another --run", folder.string()));
  if (fs::is_directory(run.log()))
    throw InputError(fmt::format("{}: expected a file or nothing, found a folder: name another --run",
                                 run.log().string()));
}

/// The configuration that the run directory itself has: all there is before the first checkpoint.
void check_run_configuration(const checkpoints::RunDirectory& run, const config::Experiment& experiment) {
  if (!fs::exists(run.config())) return;
  check_unchanged(config::load_resolved_experiment(run.config()), experiment, run.config().string());
}

/// Without a checkpoint a run starts again, which drops its measurements. That is right for a run that ended
/// before its first checkpoint. But each save waits for the one before it, so a run with lines beyond two
/// saves once had a checkpoint.
void refuse_to_lose(const checkpoints::RunDirectory& run, const config::Experiment& experiment) {
  auto every = experiment.train.save_every;
  if (fs::exists(run.config()))
    every = std::max(every, config::load_resolved_experiment(run.config()).train.save_every);
  if (const auto step = last_step(run.metrics()); step > 2 * every)
    throw InputError(fmt::format(
        "{}: expected a whole checkpoint to go on from, since {} goes to step {}, found none: name another "
        "--run to begin anew",
        run.checkpoints().string(), run.metrics().filename().string(), step));
}

/// A disk that is full at the first save would cost all that was computed until then.
void expect_room(const checkpoints::RunDirectory& run, const TrainingParts& parts) {
  std::uintmax_t bytes = 0;
  const auto add = [&](const std::vector<torch::Tensor>& tensors, std::size_t times) {
    for (const auto& tensor : tensors) bytes += tensor.nbytes() * times;
  };
  add(parts.task.module().parameters(), 1);
  add(parts.optimizer.parameters(), parts.optimizer.kept_numbers());
  if (parts.trained)
    for (const auto& tensors : {parts.trained->adapters(), parts.trained->base()})
      for (const auto& [name, tensor] : tensors) add({tensor}, 1);
  std::error_code unknown;
  const auto space = fs::space(run.checkpoints(), unknown);
  if (unknown || space.capacity == 0) return;
  const auto free = ::geteuid() == 0 ? space.free : space.available;
  const auto gigabytes = [](std::uintmax_t size) { return static_cast<double>(size) * 1e-9; };
  if (free < bytes)
    throw RunError(
        fmt::format("{}: No space left on device: expected {:.3g} GB for a checkpoint, found {:.3g} GB",
                    run.checkpoints().string(), gigabytes(bytes), gigabytes(free)));
  const auto missing =
      1 + count_left_checkpoints(parts.experiment.train) - std::ssize(run.list_checkpoints());
  if (missing > 1 && free / bytes < static_cast<std::uintmax_t>(missing))
    spdlog::info("{}: {:.3g} GB are free, and {} more checkpoints of {:.3g} GB are to come",
                 run.checkpoints().string(), gigabytes(free), missing, gigabytes(bytes));
}

std::vector<std::string> keys_or_nothing(const fs::path& file) {
  try {
    return config::keys_of(file);
  } catch (const InputError&) {
    return {};
  }
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_file_error(folder, "creating", error.value());
}

}  // namespace

void check_whole_configuration(const checkpoints::RunDirectory& run) {
  for (const auto& checkpoint : run.newest_first()) {
    const auto file = checkpoint.path / checkpoints::kConfigFile;
    const auto expected = keys_or_nothing(file);
    if (expected.empty()) continue;  // a damaged checkpoint will be passed over, too
    const auto found = config::keys_of(run.config());
    for (const auto& key : expected)
      if (std::ranges::find(found, key) == found.end())
        throw InputError(
            fmt::format("{}: key '{}': expected a value, as {} has, found none: the file is not whole",
                        run.config().string(), key, file.string()));
    return;
  }
}

fs::path configuration_of(const checkpoints::RunDirectory& run) {
  const auto saved = run.newest_first();
  if (lies_at(run.config()) || saved.empty()) {
    check_whole_configuration(run);
    return run.config();
  }
  const auto& newest = saved.front().path;
  verify_some_checksums(newest, {checkpoints::kConfigFile});
  spdlog::warn("{}: is gone: taking the configuration of {}", run.config().string(),
               newest.filename().string());
  return newest / checkpoints::kConfigFile;
}

FolderLock claim_run(const checkpoints::RunDirectory& run, bool resume, const Task& task) {
  constexpr std::uint64_t kOpenFiles = 40;  // half of which a training has, as a rule
  expect_open_files(kOpenFiles, "a training");
  refuse_other_folders(run);
  if (!resume) refuse_existing_training(run);
  refuse_foreign_files(run, task);
  FolderLock lock(run.path, "training");
  create_folder(run.checkpoints());
  if (!resume) refuse_existing_training(run);  // another process may have come first
  for (const auto& folder : {run.path, run.checkpoints()}) remove_abandoned_temporaries(folder);
  add_log_file(run.log());
  run.rehearse();
  return lock;
}

config::Experiment as_begun(const checkpoints::RunDirectory& run, config::Experiment experiment) {
  auto& train = experiment.train;
  if (train.bucket_tokens && train.micro_tokens) return experiment;
  auto file = run.config();
  if (const auto saved = run.list_checkpoints(); !fs::exists(file) && !saved.empty())
    file = saved.back().path / checkpoints::kConfigFile;
  if (!fs::exists(file)) return experiment;
  const auto before = config::load_resolved_experiment(file).train;
  if (!train.bucket_tokens) train.bucket_tokens = before.bucket_tokens;
  if (!train.micro_tokens) train.micro_tokens = before.micro_tokens;
  return experiment;
}

bool enter_run(const checkpoints::RunDirectory& run, bool resume, const TrainingParts& parts) {
  check_run_configuration(run, parts.experiment);
  auto conditions = parts.state.conditions;
  const bool resumed = resume && load_newest_checkpoint(run, parts);
  if (resumed) {
    const auto& state = parts.state;
    // If no update is left, the order of the batches does not matter.
    if (state.finished || state.step >= parts.experiment.train.steps)
      conditions.batch_order = state.conditions.batch_order;
    conditions.from = checksum_of_beginning(parts.experiment.train.from, state.conditions.from);
    check_conditions(state.conditions, conditions, run.path.string());
  } else {
    refuse_to_lose(run, parts.experiment);
    if (const auto& from = parts.experiment.train.from; !from.empty())
      conditions.from = parts.task.begin_from(from, parts.experiment.train.new_pieces, /*reported=*/true);
    if (parts.trained) parts.trained->take_base();
  }
  if (!parts.state.finished && parts.state.step < parts.experiment.train.steps) expect_room(run, parts);
  parts.state.conditions = conditions;
  write_file_atomically(run.config(), config::to_yaml(parts.experiment));  // first: it makes the rest ours
  parts.task.write_files(run.path);
  return resumed;
}

}  // namespace transformer::train

#include "transformer/train/checkpoint.h"

#include <spdlog/spdlog.h>

#include <ranges>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/text_file.h"
#include "transformer/base/checksums.h"
#include "transformer/io/safetensors.h"

namespace transformer::train {
namespace fs = std::filesystem;
namespace {

void prune(const store::RunDirectory& run, const TrainState& state, std::int64_t keep) {
  auto checkpoints = run.list_checkpoints();
  const auto excess = static_cast<std::int64_t>(checkpoints.size()) - std::max(keep, std::int64_t{1});
  for (std::int64_t i = 0; i < excess; ++i) {
    const auto& [step, path] = checkpoints[static_cast<std::size_t>(i)];
    if (step == state.step || (state.best && step == state.best_step)) continue;
    fs::remove_all(path);
  }
}

bool is_whole(const fs::path& folder) {
  try {
    verify_checksums(folder);
    return true;
  } catch (const InputError& error) {
    spdlog::warn("passing over a damaged checkpoint: {}", error.what());
    return false;
  }
}

void load(const fs::path& folder, const TrainingParts& parts) {
  const auto state_file = folder / kStateFile, weights_file = folder / store::kWeightsFile,
             optimizer_file = folder / kOptimizerFile;
  parts.state = train_state_from_json(read_file(state_file), state_file.string());
  store::assign_weights(parts.model, io::load_safetensors(weights_file), weights_file.string());
  parts.adam.restore(io::load_safetensors(optimizer_file), parts.state.step, optimizer_file.string());
}

}  // namespace

void save_checkpoint(const store::RunDirectory& run, const TrainingParts& parts, std::int64_t keep) {
  const auto step = parts.state.step;
  AtomicDirectory folder(run.checkpoint(step));
  store::write_model_files(folder.temporary(), store::named_parameters(parts.model), parts.experiment,
                           parts.tokenizers);
  io::save_safetensors(folder.temporary() / kOptimizerFile, parts.adam.state());
  write_file_atomically(folder.temporary() / kStateFile, to_json(parts.state));
  write_checksums(folder.temporary());
  folder.commit(AtomicDirectory::Existing::replace);
  run.link("last", step);
  // Before the first evaluation the newest counts as the best: an older one may be pruned.
  if (!parts.state.best || parts.state.best_step == step) run.link("best", step);
  prune(run, parts.state, keep);
}

bool load_newest_checkpoint(const store::RunDirectory& run, const TrainingParts& parts) {
  const auto checkpoints = run.list_checkpoints();
  for (const auto& checkpoint : std::views::reverse(checkpoints)) {
    if (!is_whole(checkpoint.path)) continue;
    load(checkpoint.path, parts);
    return true;
  }
  return false;
}

}  // namespace transformer::train

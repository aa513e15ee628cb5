#include "transformer/train/run_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"

namespace transformer::train {
namespace fs = std::filesystem;
namespace {

/// Keys that may differ when a run goes on: they decide when it stops and what it keeps and shows, not the
/// weights on the way. Paths may differ because a run may have moved house.
bool may_change(const std::string& key) {
  constexpr std::array safe = {"train.steps", "train.eval_every", "train.save_every", "train.log_every",
                               "train.keep",  "train.patience",   "train.bleu_every", "data.train",
                               "data.dev",    "data.test",        "data.tokenizer",   "data.prepared"};
  return key.starts_with("decode.") || std::find(safe.begin(), safe.end(), key) != safe.end();
}

void check_unchanged(const store::RunDirectory& run, const config::Experiment& experiment) {
  const auto before = config::parse_experiment(read_file(run.config()), run.config().string());
  for (const auto& difference : config::differences(before, experiment))
    if (!may_change(difference.key))
      throw InputError(
          fmt::format("{}: key '{}' is {} in this run, found {}: a run is resumed with its own "
                      "configuration",
                      run.config().string(), difference.key, difference.left, difference.right));
}

void create(const store::RunDirectory& run, const TrainingParts& parts) {
  std::error_code error;
  fs::create_directories(run.checkpoints(), error);
  if (error)
    throw InputError(fmt::format("{}: cannot be created: {}", run.checkpoints().string(), error.message()));
  if (!fs::exists(run.path / "tokenizer.model") && !fs::exists(run.path / "tokenizer.source.model"))
    store::copy_tokenizers(parts.tokenizers, run.path);
}

}  // namespace

models::EncoderDecoder make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                                  const torch::Device& device) {
  torch::manual_seed(static_cast<std::uint64_t>(experiment.seed));
  models::EncoderDecoder model(experiment.model, sizes);
  model->to(device);
  return model;
}

bool open_run(const store::RunDirectory& run, bool resume, const TrainingParts& parts) {
  const bool exists = fs::exists(run.config());
  if (exists && !resume)
    throw InputError(fmt::format("{}: holds a training already; go on with --resume or name another --run",
                                 run.path.string()));
  if (exists) check_unchanged(run, parts.experiment);
  create(run, parts);
  remove_abandoned_temporaries(run.checkpoints());
  add_log_file(run.log());
  const bool resumed = resume && load_newest_checkpoint(run, parts);
  write_file_atomically(run.config(), config::to_yaml(parts.experiment));
  return resumed;
}

}  // namespace transformer::train

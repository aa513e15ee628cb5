#include "transformer/train/run_setup.h"

#include <fmt/format.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/train/conditions.h"

namespace transformer::train {
namespace fs = std::filesystem;
namespace {

void refuse_existing_training(const store::RunDirectory& run) {
  if (fs::exists(run.config()))
    throw InputError(fmt::format("{}: holds a training already; go on with --resume or name another --run",
                                 run.path.string()));
}

/// The configuration that the run directory itself has: all there is before the first checkpoint.
void check_run_configuration(const store::RunDirectory& run, const config::Experiment& experiment) {
  if (!fs::exists(run.config())) return;
  check_unchanged(config::parse_experiment(read_file(run.config()), run.config()), experiment,
                  run.config().string());
}

}  // namespace

models::EncoderDecoder make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                                  const torch::Device& device) {
  torch::manual_seed(static_cast<std::uint64_t>(experiment.seed));
  models::EncoderDecoder model(experiment.model, sizes);
  model->to(device);
  return model;
}

OpenedRun open_run(const store::RunDirectory& run, bool resume, const TrainingParts& parts) {
  if (!resume) refuse_existing_training(run);
  store::RunLock lock(run);
  if (!resume) refuse_existing_training(run);  // another process may have come first
  check_run_configuration(run, parts.experiment);
  for (const auto& folder : {run.path, run.checkpoints()}) remove_abandoned_temporaries(folder);
  add_log_file(run.log());
  const auto conditions = parts.state.conditions;
  const bool resumed = resume && load_newest_checkpoint(run, parts);
  if (resumed) check_conditions(parts.state.conditions, conditions, run.path.string());
  parts.state.conditions = conditions;
  store::copy_tokenizers(parts.tokenizers, run.path);
  write_file_atomically(run.config(), config::to_yaml(parts.experiment));
  return {std::move(lock), resumed};
}

}  // namespace transformer::train

#include "transformer/train/run_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/base/text_file.h"
#include "transformer/config/yaml.h"
#include "transformer/models/size.h"
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

void check_lengths(const data::Dataset& data, const models::ModelOptions& model, const fs::path& file) {
  if (model.positions != nn::Positions::learned) return;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    const auto length = static_cast<std::int64_t>(std::max(data.source(i).size(), data.target(i).size())) + 1;
    if (length > model.max_positions)
      throw InputError(
          fmt::format("{}: sentence {} has {} tokens with its end: expected at most "
                      "model.max_positions, {}",
                      file.string(), i, length, model.max_positions));
  }
}

namespace {

void check_memory(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                  const torch::Device& device) {
  const double copies = device.is_cpu() ? 4 : 1;  // weights; gradients and two moments
  const double needed =
      copies * 4 * static_cast<double>(models::count_parameters(experiment.model, sizes).total());
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (needed > there)
    throw InputError(
        fmt::format("model: expected one that fits into {:.1f} GB of memory, found one whose weights, "
                    "gradients and moments take {:.1f} GB",
                    there / 1e9, needed / 1e9));
}

}  // namespace

models::EncoderDecoder make_model(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                                  const torch::Device& device) {
  check_memory(experiment, sizes, device);
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

#include "transformer/train/run_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "transformer/base/atomic_file.h"
#include "transformer/base/error.h"
#include "transformer/base/log.h"
#include "transformer/base/output_place.h"
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

/// Before a run begins: what it is going to write must not be there from elsewhere.
void refuse_foreign_files(const store::RunDirectory& run) {
  if (fs::exists(run.config()) || !run.list_checkpoints().empty()) return;
  check_output_place(run.path, {});
  const data::PreparedPaths here{run.path};
  for (const auto& file : {run.metrics(), here.source_tokenizer(true), here.source_tokenizer(false),
                           here.target_tokenizer(false)})
    if (fs::exists(file))
      throw InputError(
          fmt::format("{}: expected no such file where no training has begun, found one, which "
                      "is not replaced: name another --run",
                      file.string()));
}

/// The configuration that the run directory itself has: all there is before the first checkpoint.
void check_run_configuration(const store::RunDirectory& run, const config::Experiment& experiment) {
  if (!fs::exists(run.config())) return;
  check_unchanged(config::parse_experiment(read_file(run.config()), run.config()), experiment,
                  run.config().string());
}

}  // namespace

void check_lengths(const data::Dataset& data, const models::ModelOptions& model, const fs::path& file) {
  const auto longest = models::longest_sequence(model);
  if (!longest) return;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    const auto length = static_cast<std::int64_t>(std::max(data.source(i).size(), data.target(i).size())) + 1;
    if (length > *longest)
      throw InputError(
          fmt::format("{}: sentence {} has {} tokens with its end: expected at most "
                      "model.max_positions, {}",
                      file.string(), i, length, *longest));
  }
}

void check_text(const data::Dataset& data, const fs::path& file) {
  if (data.source_tokens() > 0 && data.target_tokens() > 0) return;
  throw InputError(
      fmt::format("{}: expected text to be judged by, found {} pairs with {} source and {} target tokens",
                  file.string(), data.size(), data.source_tokens(), data.target_tokens()));
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
  refuse_foreign_files(run);
  store::RunLock lock(run);
  if (!resume) refuse_existing_training(run);  // another process may have come first
  check_run_configuration(run, parts.experiment);
  for (const auto& folder : {run.path, run.checkpoints()}) remove_abandoned_temporaries(folder);
  add_log_file(run.log());
  auto conditions = parts.state.conditions;
  const bool resumed = resume && load_newest_checkpoint(run, parts);
  if (resumed) {
    const auto& state = parts.state;
    // Where no update is left, the order of the batches does not matter any more.
    if (state.finished || state.step >= parts.experiment.train.steps)
      conditions.batch_order = state.conditions.batch_order;
    check_conditions(state.conditions, conditions, run.path.string());
  }
  parts.state.conditions = conditions;
  write_file_atomically(run.config(), config::to_yaml(parts.experiment));  // first: it makes the rest ours
  store::copy_tokenizers(parts.tokenizers, run.path);
  return {std::move(lock), resumed};
}

}  // namespace transformer::train

#include "apps/evaluate/model_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/common/data_direction.h"
#include "apps/common/model_overrides.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/temporary.h"
#include "transformer/checkpoints/model_directory.h"
#include "transformer/data/dataset.h"
#include "transformer/data/prepared.h"
#include "transformer/runtime/device.h"
#include "transformer/tasks/text_task.h"
#include "transformer/train/evaluation.h"

namespace transformer::apps {
namespace {

namespace fs = std::filesystem;

/// A data set's place.
fs::path find(const std::string& data, const config::Experiment& experiment) {
  const bool split = data == "train" || data == "dev" || data == "test";
  if (split && experiment.data.prepared.empty())
    throw InputError(
        fmt::format("--data {}: the model's configuration has no data.prepared; name a file or give --set "
                    "data.prepared=FOLDER",
                    data));
  return split ? fs::path(experiment.data.prepared) / (data + ".bin") : fs::path(data);
}

/// Vocabularies of equal sizes may differ. A data set lies beside the tokenizers that it was made with.
void check_tokenizers(const fs::path& data, const checkpoints::Tokenizers& tokenizers) {
  const data::PreparedPaths there{parent_folder(data)};
  const bool shared = fs::exists(there.source_tokenizer(true));
  if (!fs::exists(there.source_tokenizer(shared))) return;  // a data set that was moved
  const auto check = [](const fs::path& found, const fs::path& expected) {
    if (sha256_file(found) != sha256_file(expected))
      throw InputError(
          fmt::format("{}: expected the vocabulary of {}, found another", found.string(), expected.string()));
  };
  check(there.source_tokenizer(shared), tokenizers.source->path());
  check(there.target_tokenizer(shared), tokenizers.target->path());
}

}  // namespace

std::vector<eval::MetricResult> model_loss(const std::string& model, const std::string& data,
                                           const CommonOptions& common) {
  const auto device = runtime::choose_device(common.device);
  auto loaded = checkpoints::load_model(model, device);
  const auto experiment = override_model(model, common.set, {"data.prepared", "train"});
  const auto file = find(data, experiment);
  const data::Dataset dataset(file);
  const auto sizes = loaded.model->vocabulary();
  const auto source = dataset.has_source() ? dataset.source_vocabulary() : sizes.source;
  if (source != sizes.source || dataset.target_vocabulary() != sizes.target)
    throw InputError(fmt::format("{}: made with vocabularies of {} and {} pieces, the model has {} and {}",
                                 file.string(), source, dataset.target_vocabulary(), sizes.source,
                                 sizes.target));
  const auto block = dataset.has_source() ? 0 : loaded.experiment.data.block;
  tasks::check_text(dataset, 0, file);
  tasks::check_lengths(dataset, block, loaded.model->options(), file);
  check_tokenizers(file, loaded.tokenizers);
  check_direction(file, loaded.experiment.data, model);
  const auto precision = runtime::choose_precision(common.precision, device);
  const auto epsilon = experiment.train.label_smoothing;
  tasks::NextTokens objective(loaded.model, dataset, experiment.train, {.block = block});
  const auto result = train::evaluate_loss(objective, precision);
  if (std::isnan(result.nll)) throw checkpoints::diverged(model);
  const auto signature = [&](double smoothing) {
    return fmt::format("tokens:{}|vocabulary:{}|smoothing:{}|precision:{}", result.tokens, sizes.target,
                       smoothing, runtime::name_of_precision(precision));
  };
  return {{"loss", result.loss, signature(epsilon), ""}, {"perplexity", result.perplexity, signature(0), ""}};
}

}  // namespace transformer::apps

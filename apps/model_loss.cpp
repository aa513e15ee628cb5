#include "apps/model_loss.h"

#include <fmt/format.h>

#include "transformer/base/error.h"
#include "transformer/config/yaml.h"
#include "transformer/data/dataset.h"
#include "transformer/nn/device.h"
#include "transformer/store/model_directory.h"
#include "transformer/train/evaluation.h"

namespace transformer::apps {
namespace {

namespace fs = std::filesystem;

data::Dataset open(const std::string& data, const config::Experiment& experiment) {
  const bool split = data == "train" || data == "dev" || data == "test";
  if (split && experiment.data.prepared.empty())
    throw InputError(
        fmt::format("--data {}: the model's configuration has no data.prepared; name a file or give "
                    "--set data.prepared=FOLDER",
                    data));
  return data::Dataset(split ? fs::path(experiment.data.prepared) / (data + ".bin") : fs::path(data));
}

}  // namespace

std::vector<eval::MetricResult> model_loss(const std::string& model, const std::string& data,
                                           const CommonOptions& common) {
  const auto device = nn::choose_device(common.device);
  auto loaded = store::load_model(model, device);
  const auto experiment = config::load_experiment(loaded.directory / store::kConfigFile, common.set);
  const auto dataset = open(data, experiment);
  const auto sizes = loaded.model->vocabulary();
  if (dataset.source_vocabulary() != sizes.source || dataset.target_vocabulary() != sizes.target)
    throw InputError(
        fmt::format("--data {}: made with vocabularies of {} and {} pieces, the model has {} and {}", data,
                    dataset.source_vocabulary(), dataset.target_vocabulary(), sizes.source, sizes.target));
  const auto precision = nn::choose_precision(common.precision, device);
  const auto epsilon = experiment.train.label_smoothing;
  const auto result =
      train::evaluate_loss(loaded.model, dataset, experiment.train.micro_tokens, epsilon, precision);
  const auto signature = [&](double smoothing) {
    return fmt::format("tokens:{}|vocabulary:{}|smoothing:{}", result.tokens, sizes.target, smoothing);
  };
  return {{"loss", result.loss, signature(epsilon), ""}, {"perplexity", result.perplexity, signature(0), ""}};
}

}  // namespace transformer::apps

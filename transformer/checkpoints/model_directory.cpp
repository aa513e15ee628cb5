#include "transformer/checkpoints/model_directory.h"

#include <fmt/format.h>

#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/checkpoints/safetensors.h"
#include "transformer/models/kinds.h"
#include "transformer/models/size.h"
#include "transformer/runtime/device.h"

namespace transformer::checkpoints {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> required_files(const fs::path& directory) {
  std::vector<std::string> files = {kWeightsFile, kConfigFile};
  for (const auto& tokenizer : tokenizer_files(directory)) {
    files.push_back(tokenizer.filename());
    const auto vocabulary = data::vocabulary_file(tokenizer);
    if (fs::exists(vocabulary)) files.push_back(vocabulary.filename());
  }
  return files;
}

/// Before a configuration takes memory for a model that the file cannot fill: a weight has a byte at least.
void check_size(const config::Experiment& experiment, const models::VocabularySizes& sizes,
                const fs::path& weights) {
  const auto expected = models::count_parameters(experiment.model, sizes).total();
  const auto bytes = fs::file_size(weights);
  if (expected > static_cast<std::int64_t>(bytes))
    throw InputError(fmt::format("{}: expected the {} weights of {}, found {} bytes", weights.string(),
                                 expected, kConfigFile, bytes));
}

}  // namespace

LoadedModel load_model(const fs::path& path, const torch::Device& device) {
  LoadedModel loaded;
  loaded.directory = resolve_model_directory(path);
  verify_checksums(loaded.directory, required_files(loaded.directory));
  loaded.experiment = load_model_experiment(loaded.directory);
  loaded.tokenizers = load_tokenizers(loaded.directory);
  const auto file = loaded.directory / kWeightsFile;
  check_size(loaded.experiment, loaded.tokenizers.sizes(), file);
  loaded.model = models::make(loaded.experiment.model, loaded.tokenizers.sizes());
  assign_weights(*loaded.model, checkpoints::load_weights(file), file.string());
  runtime::move_to(*loaded.model, device);
  loaded.model->eval();
  return loaded;
}

LoadedModel with_weights(const fs::path& directory, const NamedTensors& weights) {
  LoadedModel loaded;
  loaded.directory = directory;
  loaded.experiment = load_model_experiment(directory);
  loaded.tokenizers = load_tokenizers(directory);
  loaded.model = models::make(loaded.experiment.model, loaded.tokenizers.sizes());
  assign_weights(*loaded.model, {weights.begin(), weights.end()}, (directory / kWeightsFile).string());
  loaded.model->eval();
  return loaded;
}

models::EncoderDecoder LoadedModel::encoder_decoder() const {
  auto own = models::as_encoder_decoder(model);
  if (own.is_empty())
    throw InputError(fmt::format("{}: expected an encoder-decoder, found model.kind {}", directory.string(),
                                 models::kind_of(model->options())));
  return own;
}

NamedTensors named_parameters(const models::AnyModel& model) {
  return named_parameters(*model);
}

void write_model_files(const fs::path& folder, const NamedTensors& weights,
                       const config::Experiment& experiment, const Tokenizers& tokenizers) {
  write_model_files(folder, weights, experiment);
  copy_tokenizers(tokenizers, folder);
}

}  // namespace transformer::checkpoints

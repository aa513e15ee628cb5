#include "transformer/store/model_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transformer/base/atomic_file.h"
#include "transformer/base/checksums.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"
#include "transformer/config/yaml.h"
#include "transformer/io/safetensors.h"
#include "transformer/models/size.h"

namespace transformer::store {
namespace fs = std::filesystem;
namespace {

std::string shape(const torch::Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.sizes(), ", "));
}

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

fs::path resolve_model_directory(const fs::path& path) {
  if (fs::exists(path / kWeightsFile)) return path;
  const auto best = path / "checkpoints" / "best";
  if (fs::exists(best / kWeightsFile)) return fs::canonical(best);
  const char* found = !fs::exists(path)                  ? "nothing of that name"
                      : !fs::is_directory(path)          ? "a file"
                      : fs::exists(path / "checkpoints") ? "a run without a checkpoint"
                                                         : "a folder with neither";
  throw InputError(
      fmt::format("{}: expected a model directory (with {}) or a run directory (with checkpoints/best), "
                  "found {}",
                  path.string(), kWeightsFile, found));
}

config::Experiment load_model_experiment(const fs::path& directory) {
  return config::load_resolved_experiment(directory / kConfigFile);
}

LoadedModel load_model(const fs::path& path, const torch::Device& device) {
  LoadedModel loaded;
  loaded.directory = resolve_model_directory(path);
  verify_checksums(loaded.directory, required_files(loaded.directory));
  loaded.experiment = load_model_experiment(loaded.directory);
  loaded.tokenizers = load_tokenizers(loaded.directory);
  const auto file = loaded.directory / kWeightsFile;
  check_size(loaded.experiment, loaded.tokenizers.sizes(), file);
  loaded.model = models::EncoderDecoder(loaded.experiment.model, loaded.tokenizers.sizes());
  assign_weights(loaded.model, io::load_weights(file), file.string());
  loaded.model->to(device);
  loaded.model->eval();
  return loaded;
}

void assign_weights(models::EncoderDecoder& model, const std::map<std::string, torch::Tensor>& weights,
                    const std::string& source) {
  const torch::NoGradGuard no_gradients;
  const auto parameters = model->named_parameters();
  for (const auto& [name, tensor] : weights)
    if (!parameters.contains(name))
      throw InputError(fmt::format("{}: holds '{}', which a model of this configuration has not", source,
                                   printable(name)));
  for (const auto& parameter : parameters) {
    const auto found = weights.find(parameter.key());
    if (found == weights.end()) throw InputError(fmt::format("{}: '{}' is missing", source, parameter.key()));
    if (found->second.sizes() != parameter.value().sizes())
      throw InputError(fmt::format("{}: '{}' should have the shape {}, found {}", source, parameter.key(),
                                   shape(parameter.value()), shape(found->second)));
    auto target = parameter.value();
    target.copy_(found->second);
  }
}

void write_model_files(const fs::path& folder, const NamedTensors& weights,
                       const config::Experiment& experiment, const Tokenizers& tokenizers) {
  io::save_safetensors(folder / kWeightsFile, weights, {{"format", "pt"}});
  write_file_atomically(folder / kConfigFile, config::to_yaml(experiment));
  copy_tokenizers(tokenizers, folder);
}

NamedTensors named_parameters(const models::EncoderDecoder& model) {
  NamedTensors weights;
  for (const auto& parameter : model->named_parameters())
    weights.emplace_back(parameter.key(), parameter.value());
  return weights;
}

}  // namespace transformer::store

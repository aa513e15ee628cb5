// A model directory: weights, configuration, tokenizers and checksums, complete by itself.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "transformer/config/experiment.h"
#include "transformer/models/encoder_decoder.h"
#include "transformer/store/tokenizers.h"

namespace transformer::store {

inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kConfigFile = "config.yaml";

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

struct LoadedModel {
  std::filesystem::path directory;
  config::Experiment experiment;
  Tokenizers tokenizers;
  models::EncoderDecoder model{nullptr};  ///< in evaluation mode
};

/// The model directory that `path` means: itself, or the best checkpoint of a run directory.
/// Throws InputError when it is neither.
std::filesystem::path resolve_model_directory(const std::filesystem::path& path);

/// The configuration that a model directory holds.
config::Experiment load_model_experiment(const std::filesystem::path& directory);

/// Loads a model directory, or a run directory's best checkpoint, after verifying its checksums.
/// Throws InputError naming the file that is missing, damaged or does not fit the configuration.
LoadedModel load_model(const std::filesystem::path& path, const torch::Device& device);

/// Copies weights into the model; `source` names their origin in messages. Throws InputError unless names
/// and shapes are exactly the model's.
void assign_weights(models::EncoderDecoder& model, const std::map<std::string, torch::Tensor>& weights,
                    const std::string& source);

/// Writes weights, configuration and tokenizers into an existing folder, which an AtomicDirectory will make
/// visible. Checksums come last, by write_checksums, when the folder has all of its files.
void write_model_files(const std::filesystem::path& folder, const NamedTensors& weights,
                       const config::Experiment& experiment, const Tokenizers& tokenizers);

/// The model's weights by name: the parameters themselves, not copies.
NamedTensors named_parameters(const models::EncoderDecoder& model);

}  // namespace transformer::store

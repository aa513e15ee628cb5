// The files that every model directory has, for every kind of model: weights and configuration.
#pragma once

#include <torch/nn/module.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "transformer/base/error.h"
#include "transformer/config/experiment.h"

namespace transformer::checkpoints {

inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kConfigFile = "config.yaml";

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// The error for a model that computes NaN from finite weights. where: " in 3 of 10 lines", or empty.
RunError diverged(const std::filesystem::path& model, const std::string& where = "");

/// The model directory that `path` means: itself, or the best checkpoint of a run directory.
/// Throws InputError when it is neither.
std::filesystem::path resolve_model_directory(const std::filesystem::path& path);

/// The configuration that a model directory holds.
config::Experiment load_model_experiment(const std::filesystem::path& directory);

/// Copies weights into the model; `source` names their origin in messages. Throws InputError unless names
/// and shapes are exactly the model's.
void assign_weights(torch::nn::Module& model, const std::map<std::string, torch::Tensor>& weights,
                    const std::string& source);

/// SHA-256 of the weights of a model or run directory (its best), as its checksums have it. Throws InputError
/// where there are none.
std::string checksum_of_weights(const std::filesystem::path& path);

/// The model's weights by name: the parameters themselves, not copies.
NamedTensors named_parameters(const torch::nn::Module& model);

/// Writes weights and configuration into an existing folder, which an AtomicDirectory will make visible.
/// Checksums come last, by write_checksums, when the folder has all of its files.
void write_model_files(const std::filesystem::path& folder, const NamedTensors& weights,
                       const config::Experiment& experiment);

}  // namespace transformer::checkpoints

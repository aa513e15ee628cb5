// A model directory of an encoder-decoder: weights, configuration, tokenizers and checksums, complete by
// itself.
#pragma once

#include "transformer/checkpoints/model_files.h"
#include "transformer/checkpoints/tokenizers.h"
#include "transformer/models/encoder_decoder.h"

namespace transformer::checkpoints {

struct LoadedModel {
  std::filesystem::path directory;
  config::Experiment experiment;
  Tokenizers tokenizers;
  models::EncoderDecoder model{nullptr};  ///< in evaluation mode
};

/// Loads a model directory, or a run directory's best checkpoint, after verifying its checksums.
/// Throws InputError naming the file that is missing, damaged or does not fit the configuration.
LoadedModel load_model(const std::filesystem::path& path, const torch::Device& device);

/// A model directory with other weights than its own, such as a mean, on the CPU. Throws InputError when they
/// do not fit the configuration.
LoadedModel with_weights(const std::filesystem::path& directory, const NamedTensors& weights);

/// As those of model_files.h, for the pointer-like holder.
void assign_weights(models::EncoderDecoder& model, const std::map<std::string, torch::Tensor>& weights,
                    const std::string& source);
NamedTensors named_parameters(const models::EncoderDecoder& model);

/// Writes weights, configuration and tokenizers into an existing folder: see model_files.h.
void write_model_files(const std::filesystem::path& folder, const NamedTensors& weights,
                       const config::Experiment& experiment, const Tokenizers& tokenizers);

}  // namespace transformer::checkpoints

// A model directory: weights, configuration, tokenizers and checksums, complete by
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
  models::AnyModel model{nullptr};  ///< in evaluation mode

  /// The model of who needs an encoder-decoder. Throws InputError, naming directory and kind, for another.
  models::EncoderDecoder encoder_decoder() const;
};

/// Loads a model directory, or a run directory's best checkpoint, after verifying its checksums.
/// Throws InputError naming the file that is missing, damaged or does not fit the configuration.
LoadedModel load_model(const std::filesystem::path& path, const torch::Device& device);

/// A model directory with other weights than its own, such as a mean, on the CPU. Throws InputError when they
/// do not fit the configuration.
LoadedModel with_weights(const std::filesystem::path& directory, const NamedTensors& weights);

/// As that of model_files.h, for pointer-like holders.
NamedTensors named_parameters(const models::AnyModel& model);

/// Writes weights, configuration and tokenizers into an existing folder: see model_files.h.
void write_model_files(const std::filesystem::path& folder, const NamedTensors& weights,
                       const config::Experiment& experiment, const Tokenizers& tokenizers);

}  // namespace transformer::checkpoints

// The formats that a model can leave in.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::formats {

struct Format {
  std::string name;         ///< on the command line
  std::string description;  ///< in a few words
  bool is_folder = true;    ///< else one file
  /// Of weights, the usual one first. `convert` gives the model the numbers of another, where there is one.
  std::vector<std::string> precisions = {"fp32"};
  std::function<void(checkpoints::LoadedModel& model, const std::string& precision)> convert = {};
  bool normalizes = true;  ///< readers normalise a text as the tokenizer does; false: they take it as it is
  /// Throws InputError, naming model.kind, for a kind that the format does not know.
  std::function<void(const checkpoints::LoadedModel& model)> check =
      [](const checkpoints::LoadedModel& model) { model.encoder_decoder(); };
  /// Writes the model to `path`: an empty folder, or the name of a file. Throws InputError, naming the key,
  /// when the format cannot express the configuration.
  std::function<void(const checkpoints::LoadedModel& model, const std::filesystem::path& path,
                     const std::string& precision)>
      write;
  /// Loads what `write` wrote, as its user would, for comparison with the model.
  std::function<Candidate(const std::filesystem::path& path, const torch::Device& device)> read;
};

const std::vector<Format>& formats();

}  // namespace transformer::formats

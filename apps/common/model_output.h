// A model, or another folder, as a program's output.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "transformer/config/experiment.h"

namespace transformer::apps {

/// What a program is about to make at a place that the user named.
struct Output {
  std::filesystem::path path;
  bool overwrite = false;
  std::vector<std::filesystem::path> inputs;  ///< files and folders that the program reads
};

/// Call this before the work begins. The path must be free, or, with `overwrite`, hold a model directory with
/// nothing but files of these programs. No input may be that folder or lie in it. Throws InputError
/// otherwise.
void check_model_output(const Output& output);

/// The same for any folder. `is_alike` says whether the existing folder is of the kind that the program
/// writes. `kind` names that kind ("a model directory").
void check_folder_output(const Output& output, std::string_view kind,
                         bool (*is_alike)(const std::filesystem::path&));

/// The same for a file, which is replaced when the user asks for it (check_output_file, output_place.h).
void check_file_output(const Output& output);

/// Writes the mean of the checkpoints `output.inputs`, with the tokenizers of the last one and this
/// configuration, as a model directory. check_model_output() comes first.
void write_mean_model(const Output& output, const config::Experiment& experiment);

}  // namespace transformer::apps

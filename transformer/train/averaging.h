// Section 6.1: averaging the last checkpoints.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <torch/types.h>

#include "transformer/store/model_directory.h"

namespace transformer::train {

/// The mean of each weight over the given model directories, summed in double precision.
/// Throws InputError when one is damaged, or holds other weights than the first.
std::vector<std::pair<std::string, torch::Tensor>> average_weights(
    const std::vector<std::filesystem::path>& directories);

/// A model with these weights, on the CPU and in evaluation mode; all else is that of the last directory.
/// Throws InputError as average_weights() does, and when the weights do not fit the configuration.
store::LoadedModel average_model(const std::vector<std::filesystem::path>& directories);

}  // namespace transformer::train

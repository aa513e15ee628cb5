// Section 6.1: averaging the last checkpoints.
#pragma once

#include <filesystem>
#include <vector>

#include "transformer/checkpoints/model_files.h"

namespace transformer::train {

/// The mean of each weight over the given model directories, summed in double precision.
/// Throws InputError when one is damaged, or holds other weights than the first.
checkpoints::NamedTensors average_weights(const std::vector<std::filesystem::path>& directories);

}  // namespace transformer::train

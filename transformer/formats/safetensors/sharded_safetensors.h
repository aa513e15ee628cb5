// Weights in one file or in several, as Hugging Face's transformers saves them.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace transformer::formats {

/// The tensors of model.safetensors in a folder or, where there is only model.safetensors.index.json, of all
/// files that this names. Throws InputError naming the file that is missing or damaged, or lacks a tensor
/// that the index says it has.
std::map<std::string, torch::Tensor> load_sharded_safetensors(const std::filesystem::path& folder);

/// The file whose presence says that weights are there: either of the two.
std::filesystem::path sharded_safetensors_file(const std::filesystem::path& folder);

}  // namespace transformer::formats

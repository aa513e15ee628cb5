// Weights in one file or in several, as Hugging Face's transformers saves them.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace transformer::formats {

/// The tensors of the first of these files that a folder has. Of an index all files that it names are read.
/// * model.safetensors, model.safetensors.index.json
/// * pytorch_model.bin, pytorch_model.bin.index.json, which torch.save wrote (pytorch_checkpoint.h)
///
/// Throws InputError naming the file that is missing or damaged, or lacks a tensor that the index says it
/// has.
std::map<std::string, torch::Tensor> load_folder_weights(const std::filesystem::path& folder);

/// That file; model.safetensors where there is none.
std::filesystem::path folder_weights_file(const std::filesystem::path& folder);

}  // namespace transformer::formats

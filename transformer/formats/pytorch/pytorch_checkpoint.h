// Tensors that torch.save wrote, read without executing anything of the file.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace transformer::formats {

/// Whether a file is such a checkpoint, of any version: a zip archive or a pickle.
bool is_pytorch_checkpoint(const std::filesystem::path& file);

/// The tensors of a state_dict, on the CPU, by name. state: the key of the checkpoint's dictionary that holds
/// it; empty: the checkpoint is one. Tensors may share their numbers.
///
/// The file is not trusted. It takes memory twice its size, and at most a million values of other sorts.
/// Throws InputError, naming the file:
/// * It was written before PyTorch 1.6, holds a TorchScript module, or is damaged.
/// * It would execute something, or has values that are no tensors in the state_dict.
/// * A tensor reaches beyond its storage.
std::map<std::string, torch::Tensor> load_pytorch_checkpoint(const std::filesystem::path& file,
                                                             const std::string& state = "");

}  // namespace transformer::formats

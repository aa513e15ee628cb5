// TorchScript: one file that torch.jit.load in Python and torch::jit::load in C++ run without this project.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::formats {

/// Writes torchscript_module() of the model, in the type of its weights, with `config.yaml` and
/// plain_tokenizer_files() as extra files. A language model has the attribute `first`, what texts begin with.
/// Throws what throw_file_error says when that fails.
void write_torchscript(const checkpoints::LoadedModel& model, const std::filesystem::path& file);

Candidate read_torchscript(const std::filesystem::path& file, const torch::Device& device);

}  // namespace transformer::formats

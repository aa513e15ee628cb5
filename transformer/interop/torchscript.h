// TorchScript: one file that torch.jit.load in Python and torch::jit::load in C++ run without this project.
#pragma once

#include <filesystem>

#include "transformer/interop/proof.h"
#include "transformer/store/model_directory.h"

namespace transformer::interop {

/// Writes torchscript_module() of the model, in the type of its weights, with the files of its directory,
/// `config.yaml` and the tokenizers, as extra files.
void write_torchscript(const store::LoadedModel& model, const std::filesystem::path& file);

Candidate read_torchscript(const std::filesystem::path& file, const torch::Device& device);

}  // namespace transformer::interop

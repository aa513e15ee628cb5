// Plain weights with everything that another program needs to use them: a folder. docs/guides/exporting.md
// has the names.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::formats {

/// Writes model.safetensors (fp32), config.json (the model's options, sizes of the vocabularies, special ids,
/// how to search) and the SentencePiece models into an empty folder.
void write_safetensors_folder(const checkpoints::LoadedModel& model, const std::filesystem::path& folder);

/// Loads such a folder. Throws InputError naming the file that is missing, damaged or does not fit the
/// others.
Candidate read_safetensors_folder(const std::filesystem::path& folder, const torch::Device& device);

}  // namespace transformer::formats

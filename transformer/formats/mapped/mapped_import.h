// A plain state_dict of PyTorch's, whose tensors a mapping file names, as a model of ours.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// model: a safetensors file, or what torch.save wrote (pytorch_checkpoint.h); nothing of it is executed.
/// mapping: mapping_file.h.
///
/// Throws InputError of one line:
/// * A tensor is neither used once nor ignored, or a rule matches none.
/// * A parameter of ours is given by no tensor, or by two, or has another shape.
/// * A tensor has a number that is not finite in fp32.
/// * Tokens are fewer or more than the rows of an embedding, or lack a special one that is named.
checkpoints::LoadedModel import_mapped(const std::filesystem::path& model,
                                       const std::filesystem::path& mapping);

}  // namespace transformer::formats

// Models of llama2.c: one file of fp32 weights (its first version), and one of pieces with scores.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// The file of pieces beside a model: tokenizer.bin, or the only file of the form tok*.bin. Throws InputError
/// if there is none, or several.
std::filesystem::path llama2c_tokenizer_beside(const std::filesystem::path& model);

/// A decoder with Llama's layers: pre-norm by the root of the mean square, rotary positions, SwiGLU. Logits
/// are the same. Ids are renumbered to special_tokens.h; the row of padding, which they have not, is zero.
/// Throws InputError, in one line, for a missing or damaged file.
checkpoints::LoadedModel import_llama2c(const std::filesystem::path& model,
                                        const std::filesystem::path& tokenizer);

}  // namespace transformer::formats

// GGUF, the file of llama.cpp and its kin: a language model with Llama's layers.
#pragma once

#include <filesystem>
#include <string>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::formats {

/// Replaces the model by one with exactly Llama's layers that computes the same, and whose matrices have the
/// numbers that a file of this precision holds: fp32, fp16, bf16 or int8 (Q8_0). Matrices whose rows are
/// no multiple of 32 stay fp32. Embeddings that are multiplied by √d_model hold the factor afterwards. Throws
/// InputError, naming the key, for options that Llama does not have.
void make_llama(checkpoints::LoadedModel& model, const std::string& precision);

/// Writes such a model with its tokenizer. Throws InputError for a tokenizer other than byte-pair encoding or
/// characters.
void write_gguf(const checkpoints::LoadedModel& model, const std::filesystem::path& file,
                const std::string& precision);

/// Loads such a file by what it says. Its tokenizer takes text as it is, as llama.cpp does: nothing is
/// normalised. Throws InputError, naming the file, where it is damaged.
Candidate read_gguf(const std::filesystem::path& file, const torch::Device& device);

}  // namespace transformer::formats

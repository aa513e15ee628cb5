// Models of ours as folders of Hugging Face's transformers.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::formats {

/// Throws InputError, naming the key, for options that none of the classes below has.
void check_huggingface(const checkpoints::LoadedModel& model);

/// Writes config.json, generation_config.json, model.safetensors in fp32, tokenizer.model and
/// tokenizer_config.json of the nearest class, LlamaForCausalLM, GemmaForCausalLM or GPT2LMHeadModel. Ids
/// stay. Encoders are written as encoder_export.h says, encoder-decoders as seq2seq_export.h does. Throws
/// InputError, naming the key, for what that class cannot express.
void write_huggingface(const checkpoints::LoadedModel& model, const std::filesystem::path& folder);

/// By import_huggingface.
Candidate read_huggingface(const std::filesystem::path& folder, const torch::Device& device);

}  // namespace transformer::formats

// Models that Hugging Face's transformers saved, as models of ours.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Loads a folder of a LlamaForCausalLM, MistralForCausalLM, GemmaForCausalLM or GPT2LMHeadModel. Its files:
/// * config.json, and generation_config.json if there is one.
/// * model.safetensors in fp32, fp16 or bf16, or its index and several files.
/// * tokenizer.model, a SentencePiece model, or GPT-2's vocab.json and merges.txt. Without these prompts and
///   texts are ids: "464 3290".
///
/// The logits are the same. Ids are renumbered to special_tokens.h; special tokens that they have not get a
/// row of zeros, and a bias of logits keeps an unknown token of ours from being produced. Texts begin with
/// their end token where that is their begin token, too.
///
/// Encoders are loaded as encoder_import.h says, and encoder-decoders as seq2seq_import.h says. model_type
/// decides.
///
/// Throws InputError, in one line, for a missing or damaged file, and for a model that cannot be expressed.
checkpoints::LoadedModel import_huggingface(const std::filesystem::path& folder);

/// Whether config.json says that a Marian model is in the folder, or nothing.
bool is_marian_folder(const std::filesystem::path& folder);

}  // namespace transformer::formats

// Encoder-decoders of ours as folders of Hugging Face's transformers.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Throws InputError for options that neither T5 nor BART nor M2M-100 has (seq2seq_structure.h), and for
/// tokenizers whose tokens none of their classes makes (seq2seq_tokens.h).
void check_seq2seq(const checkpoints::LoadedModel& model);

/// Writes config.json, generation_config.json, model.safetensors in fp32, and the tokenizer's files of
/// T5ForConditionalGeneration, BartForConditionalGeneration or M2M100ForConditionalGeneration. import_seq2seq
/// reads it, with the same ids and logits. Throws InputError as check_seq2seq does, and for weights that the
/// class cannot have (seq2seq_weights.h).
///
/// Their search differs from ours: see marian_export.h.
void write_seq2seq(const checkpoints::LoadedModel& model, const std::filesystem::path& folder);

}  // namespace transformer::formats

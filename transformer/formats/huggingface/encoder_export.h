// Encoders of ours as folders of Hugging Face's transformers.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Throws InputError, naming the key, for options that BERT has not, and for a tokenizer that is no
/// WordPiece.
void check_encoder(const checkpoints::LoadedModel& model);

/// Writes config.json, model.safetensors in fp32, vocab.txt and tokenizer_config.json of BertModel,
/// BertForMaskedLM, BertForSequenceClassification, BertForTokenClassification or BertForQuestionAnswering.
/// Ids stay. Throws InputError as check_encoder does. import_encoder reads it.
void write_encoder(const checkpoints::LoadedModel& model, const std::filesystem::path& folder);

}  // namespace transformer::formats

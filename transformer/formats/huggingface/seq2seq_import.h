// Encoder-decoders that Hugging Face's transformers saved, as models of ours.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Loads a folder of a T5ForConditionalGeneration (T5, T5 v1.1), an MT5ForConditionalGeneration, an
/// M2M100ForConditionalGeneration (M2M-100, NLLB), a BartForConditionalGeneration or an
/// MBartForConditionalGeneration (mBART-50).
///
/// The logits are the same. Ids are renumbered to special_tokens.h: our begin doubles the row of their first
/// token, and a bias keeps it from being produced. M2M-100's sinusoids, which count from 2, become learned
/// vectors.
///
/// Throws InputError, in one line, for a missing or damaged file, and for a model that cannot be expressed.
checkpoints::LoadedModel import_seq2seq(const std::filesystem::path& folder);

}  // namespace transformer::formats

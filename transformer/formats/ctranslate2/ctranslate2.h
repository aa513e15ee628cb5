// CTranslate2 (https://github.com/OpenNMT/CTranslate2): a folder that ctranslate2.Translator opens, or of a
// language model ctranslate2.Generator.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"
#include "transformer/formats/proof.h"

namespace transformer::formats {

/// Writes model.bin, config.json, shared_vocabulary.json (or source_vocabulary.json and
/// target_vocabulary.json; of a language model vocabulary.json) and the SentencePiece models into an empty
/// folder. Throws InputError for
/// tokenizers that name their special pieces differently, which CTranslate2 could not tell apart.
void write_ctranslate2(const checkpoints::LoadedModel& model, const std::filesystem::path& folder);

/// Loads such a folder by what its files say. Throws InputError naming the file that is missing, damaged or
/// does not belong to the others.
Candidate read_ctranslate2(const std::filesystem::path& folder, const torch::Device& device);

}  // namespace transformer::formats

// A translation model in CTranslate2's own format, which other programs made, as a model of ours.
#pragma once

#include <filesystem>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Whether a folder has such a model: model.bin.
bool is_ctranslate2_folder(const std::filesystem::path& folder);

struct CTranslate2Import {
  checkpoints::LoadedModel model;
  bool is_quantised = false;  ///< weights had 8 or 16 bits, and the model has the numbers that they meant
};

/// Reads model.bin from version 2 of the format, config.json where there is one, and shared_vocabulary or
/// source_vocabulary and target_vocabulary (.json or .txt).
///
/// tokenizer: a SentencePiece model that makes the vocabulary's tokens of both languages. Where it is empty,
/// tokenizer.model, or tokenizer.source.model and tokenizer.target.model, of the folder, if they exist. Else
/// tokens are words between blanks.
///
/// Throws InputError of one line for a file that is missing, damaged or does not fit the others, for language
/// models, and for layers that no model of ours has.
CTranslate2Import import_ctranslate2(const std::filesystem::path& folder,
                                     const std::filesystem::path& tokenizer = {});

}  // namespace transformer::formats

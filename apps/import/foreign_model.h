// Models of other programs, by what --model names.
#pragma once

#include <string>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::apps {

struct ImportSource {
  std::string model;      ///< a file or a folder
  std::string tokenizer;  ///< llama2.c's pieces, or the SentencePiece model of CTranslate2's folder
  std::string mapping;    ///< what the tensors of a state_dict are
};

/// A file is a model of llama2.c or, with a mapping, a state_dict; a folder is one of CTranslate2's or
/// Hugging Face's. Warns of settings that have no counterpart here. Throws InputError for what cannot be
/// read.
checkpoints::LoadedModel load_foreign(const ImportSource& from);

/// Warns where an encoder has no head, and where a model for several languages has none of them. name: of
/// what was imported.
void warn_of_use(const checkpoints::LoadedModel& loaded, const std::string& name);

/// "6 and 6 layers of width 512, vocabularies of 37000 and 37000 pieces"
std::string description_of(const checkpoints::LoadedModel& loaded);

}  // namespace transformer::apps

// Hugging Face's Marian models (among them OPUS-MT's) as models of ours.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// The model in a folder as transformers saves a MarianMTModel and its MarianTokenizer: config.json,
/// model.safetensors (fp32, fp16 or bf16; or its index and several files), source.spm, target.spm, vocab.json
/// and, where there are, target_vocab.json, generation_config.json and tokenizer_config.json. It has the same
/// logits: weights are theirs, ids are renumbered to special_tokens.h (ids that stand there already, as in
/// what we export, stay). Its tokenizers lie in the folder; checkpoints::write_model_files makes a model
/// directory of all.
///
/// Texts are not normalised as Moses does, which MarianTokenizer does where sacremoses is installed, and no
/// text of a special token such as "</s>" is taken for the token.
///
/// Throws InputError, in one line, for a file that is missing or damaged, and for what cannot be expressed.
checkpoints::LoadedModel import_marian(const std::filesystem::path& folder);

/// The settings of generation that such a folder has and that have no counterpart here, as "key value": what
/// transformers generates may differ for each of them. Throws InputError for damaged files.
std::vector<std::string> ignored_marian_settings(const std::filesystem::path& folder);

}  // namespace transformer::formats

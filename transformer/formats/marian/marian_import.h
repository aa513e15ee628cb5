// Hugging Face's Marian models (among them OPUS-MT's) as models of ours.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/checkpoints/model_directory.h"

namespace transformer::formats {

/// Loads a folder in which transformers saved a MarianMTModel and its MarianTokenizer. Its files:
/// * config.json.
/// * model.safetensors in fp32, fp16 or bf16, or its index and several files.
/// * source.spm, target.spm and vocab.json.
/// * target_vocab.json, generation_config.json and tokenizer_config.json, if there are any.
///
/// The logits are the same. Weights are theirs, and ids are renumbered to special_tokens.h; ids that fit
/// already, as in our exports, stay. The tokenizers lie in the folder. checkpoints::write_model_files makes a
/// model directory of all.
///
/// Texts are not normalised as in Moses, which MarianTokenizer does if sacremoses is installed. The text of a
/// special token such as "</s>" is not read as the token.
///
/// Throws InputError, in one line, for a missing or damaged file, and for a model that cannot be expressed.
checkpoints::LoadedModel import_marian(const std::filesystem::path& folder);

/// The settings of generation that such a folder has and that have no counterpart here, as "key value": what
/// transformers generates may differ for each of them. Throws InputError for damaged files.
std::vector<std::string> ignored_marian_settings(const std::filesystem::path& folder);

}  // namespace transformer::formats

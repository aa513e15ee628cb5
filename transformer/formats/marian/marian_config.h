// The description of a Marian model in the JSON files of a Hugging Face folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "transformer/models/options.h"
#include "transformer/search/options.h"

namespace transformer::formats {

/// Files of a Marian model as Hugging Face's transformers names them.
struct MarianFiles {
  std::filesystem::path folder;

  std::filesystem::path config() const { return folder / "config.json"; }
  std::filesystem::path generation() const { return folder / "generation_config.json"; }  ///< optional
  std::filesystem::path tokenizer() const { return folder / "tokenizer_config.json"; }    ///< optional
  std::filesystem::path weights() const { return folder / "model.safetensors"; }
  std::filesystem::path source_spm() const { return folder / "source.spm"; }
  std::filesystem::path target_spm() const { return folder / "target.spm"; }
  std::filesystem::path vocabulary() const { return folder / "vocab.json"; }
  std::filesystem::path target_vocabulary() const { return folder / "target_vocab.json"; }  ///< optional
};

struct MarianConfig {
  models::ModelOptions model;  ///< all but positions and output_bias, which the weights decide
  models::VocabularySizes vocabulary;
  search::DecodeOptions decode;   ///< its length penalty is length^alpha, unless we wrote the folder
  bool shared_embeddings = true;  ///< source and target embedding are one matrix
  bool tied_output = true;        ///< target embedding and output projection are one matrix
  bool stored_positions = false;  ///< we wrote tables of positions, which transformers does not save
  std::int64_t pad = 0, end = 0, start = 0;  ///< ids; `start` begins the decoder's input
};

/// A key of ours in config.json: tables of positions belong to the weights.
inline constexpr const char* kOwnStoredPositions = "transformer_stored_positions";

/// From config.json and, where it exists, generation_config.json. What a file does not say is as in
/// transformers. Throws InputError, naming file and key, for what a model of ours cannot express.
MarianConfig read_marian_config(const MarianFiles& files);

/// Settings of these files that change what transformers generates and have no counterpart here, as "key
/// value".
std::vector<std::string> ignored_marian_settings(const MarianFiles& files);

/// From tokenizer_config.json where it exists.
struct MarianTokenizerConfig {
  std::string unknown = "<unk>", pad = "<pad>", end = "</s>";
  std::string source, target;  ///< languages, or nothing
  bool separate_vocabularies = false;
};

MarianTokenizerConfig read_marian_tokenizer_config(const MarianFiles& files);

}  // namespace transformer::formats

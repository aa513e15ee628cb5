// A file that says which tensor of a foreign state_dict is which of ours (docs/guides/importing.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "transformer/formats/mapped/name_pattern.h"
#include "transformer/formats/token_numbering.h"
#include "transformer/models/options.h"

namespace transformer::formats {

/// What happens to a tensor on its way.
enum class TensorTransform {
  none,
  transposed,  ///< a matrix (inputs, outputs) becomes one of (outputs, inputs)
  squeezed,    ///< dimensions of size 1 go
};

/// One rule of `tensors`: a tensor whose whole name matches is ours by the names in `to`, where $1 is the
/// first group of the expression. Several names share its rows equally.
struct TensorRule {
  NamePattern from;
  std::vector<std::string> to;
  TensorTransform transform = TensorTransform::none;
  std::string place = {};  ///< "map.yaml:7"
};

/// Tokens of one language, or of both.
struct MappedTokens {
  std::string file = {};   ///< relative to the model's folder; empty: the pieces of `model`
  std::string key = {};    ///< of the dictionary in a pickle that holds the list
  std::string model = {};  ///< of SentencePiece, which splits texts; empty: TokenSplit does
  std::string unknown = {}, pad = {}, begin = {}, end = {};  ///< tokens; empty: there is none
  std::string first = {};                                    ///< begins each text
  std::string place = {};
};

struct MappingFile {
  std::filesystem::path path;
  models::ModelOptions model;
  std::string state = {};  ///< the key of the checkpoint's dictionary that holds the state_dict
  std::vector<TensorRule> tensors = {};
  std::vector<NamePattern> ignore = {};  ///< their tensors
  std::vector<NamePattern> zeros = {};   ///< our vectors that they lack
  TokenSplit split = TokenSplit::words;
  MappedTokens source, target;
  bool shared = false;  ///< one vocabulary: source and target are equal
};

/// Throws InputError "FILE:LINE: …":
/// * It is no mapping, or a key is unknown or occurs twice.
/// * A configuration would not get these options of a model either.
/// * The model's kind is neither the encoder-decoder nor the decoder.
MappingFile read_mapping(const std::filesystem::path& file);

}  // namespace transformer::formats

// tokenizer.json of Hugging Face's tokenizers, and the older files of byte-pair encodings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "transformer/data/word_pieces.h"
#include "transformer/formats/json_object.h"

namespace transformer::formats::huggingface {

/// WordPiece as BERT has it, or GPT-2's pairs of bytes.
struct TokenizerJson {
  /// size: of the model's vocabulary. Throws InputError, naming the key, for what is damaged, for another
  /// kind of tokenizer, and for one with other rules.
  TokenizerJson(const std::filesystem::path& file, std::int64_t size);

  std::vector<std::string> pieces;                    ///< by their ids
  std::vector<std::string> merges;                    ///< "a b", by their ranks
  std::optional<data::WordPieceOptions> word_pieces;  ///< nothing of pairs of bytes
};

/// The piece of an id that none of a folder's files names: no text has it.
std::string unused_piece(std::int64_t id);

/// Adds such pieces until there are `size`.
void add_unused_pieces(std::vector<std::string>& pieces, std::int64_t size);

/// The pieces of vocab.json, which maps them to ids below `size`. Ids that none has get unused_piece().
/// Throws InputError for other content.
std::vector<std::string> read_pieces(const JsonObject& vocabulary, std::int64_t size);

/// The lines of merges.txt: "a b". Throws InputError for others.
std::vector<std::string> read_merges(const std::filesystem::path& file);

/// What these two read. pieces: by their ids
void write_pieces(const std::filesystem::path& file, const std::vector<std::string>& pieces);
void write_merges(const std::filesystem::path& file, const std::vector<std::string>& merges);

}  // namespace transformer::formats::huggingface

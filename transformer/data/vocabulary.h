// A numbering of pieces that is not their SentencePiece model's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transformer/base/special_tokens.h"

namespace transformer::data {

/// Pieces in the order of their ids, the special ones first (special_tokens.h). A file of them is a JSON list
/// of strings. Two SentencePiece models, one for each language, may use equal vocabularies: so do the models
/// that Marian trained for OPUS-MT.
///
/// All texts may begin with one of the pieces, such as the token of their language. Then the file is an
/// object: {"begin": piece, "pieces": list}.
class Vocabulary {
 public:
  /// begin: one of the pieces, or empty. `source` names the origin in messages. Throws InputError unless
  /// there are at least the four special pieces and all pieces differ.
  Vocabulary(std::vector<std::string> pieces, const std::string& source, const std::string& begin = "");
  /// Throws InputError when the file is missing or holds something else.
  explicit Vocabulary(const std::filesystem::path& file);
  Vocabulary(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;  // ids_ views pieces_

  /// kUnknown where there is no such piece, and for the special ones, which no text may spell.
  std::int32_t id_of(std::string_view piece) const;

  const std::vector<std::string>& pieces() const { return pieces_; }

  /// The id of the piece that begins each text; kUnknown where there is none.
  std::int32_t begin() const { return begin_; }

  void save(const std::filesystem::path& file) const;

 private:
  struct Content {
    std::vector<std::string> pieces;
    std::string begin;
  };
  static Content read(const std::filesystem::path& file);
  Vocabulary(Content content, const std::string& source)
      : Vocabulary(std::move(content.pieces), source, content.begin) {}

  std::vector<std::string> pieces_;
  std::unordered_map<std::string_view, std::int32_t> ids_;  // of views into pieces_
  std::int32_t begin_ = kUnknown;
};

}  // namespace transformer::data

// A numbering of pieces that is not their SentencePiece model's own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transformer::data {

/// Pieces in the order of their ids, the special ones first (special_tokens.h). A file of them is a JSON list
/// of strings. Two SentencePiece models, one for each language, may use equal vocabularies: so do the models
/// that Marian trained for OPUS-MT.
class Vocabulary {
 public:
  /// `source` names the origin in messages. Throws InputError unless there are at least the four special
  /// pieces and all pieces differ.
  Vocabulary(std::vector<std::string> pieces, const std::string& source);
  /// Throws InputError when the file is missing or no list of different strings.
  explicit Vocabulary(const std::filesystem::path& file);
  Vocabulary(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;  // ids_ views pieces_

  /// kUnknown where there is no such piece, and for the special ones, which no text may spell.
  std::int32_t id_of(std::string_view piece) const;

  const std::vector<std::string>& pieces() const { return pieces_; }

  void save(const std::filesystem::path& file) const;

 private:
  std::vector<std::string> pieces_;
  std::unordered_map<std::string_view, std::int32_t> ids_;  // of views into pieces_
};

}  // namespace transformer::data

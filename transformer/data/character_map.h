// The map in front of a SentencePiece model: what its normaliser replaces, and by what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transformer::data {

/// precompiled_charsmap of a model's file: the size of a trie in bytes, a trie of keys as the double array of
/// Darts-clone, and the values, each ended by a zero byte. SentencePiece replaces the longest key that the
/// rest of a text begins with, and goes on behind it.
class CharacterMap {
 public:
  /// content: the field's, or empty for a map without keys. Throws std::runtime_error for damaged content.
  explicit CharacterMap(std::string_view content);

  /// What SentencePiece reads. Keys are not empty, and neither keys nor values have zero bytes.
  static std::string content_of(const std::map<std::string, std::string>& values);

  /// The value of the shortest key that `text` begins with.
  std::optional<std::string_view> first_of(std::string_view text) const;

  /// All keys in the order of their bytes. Throws std::runtime_error for a trie that leads in circles.
  std::vector<std::pair<std::string, std::string_view>> all() const;

 private:
  /// The place of a unit's child, if it has one for this byte.
  std::optional<std::size_t> child(std::size_t unit, unsigned char byte) const;
  std::string_view value_below(std::size_t unit) const;

  std::vector<std::uint32_t> units_;
  std::string values_;
};

}  // namespace transformer::data

// Long texts, which are encoded part by part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace transformer::data {

/// SentencePiece's time grows with the square of a text's length where it knows none of the characters: a
/// million of them would take a minute.
///
/// A text that has no blank in so many bytes, such as a Chinese document on one line, is cut in a word. A
/// piece that spans the cut is lost: the pieces beside the cut differ from those of the whole text, and a
/// model that adds a blank adds one there. All others are the same (text_parts_test.cpp). It does not matter
/// for translation, which takes 1 024 tokens of a line (kLongestSource): they end before the first cut,
/// unless a token has 16 bytes on average. Nor do filters by length see more than a few tokens of difference
/// in thousands.
inline constexpr std::size_t kEncodedAtOnce = 16384;

/// An end of a part: an end of the text, a blank (which belongs to neither part), or a place within a word.
enum class Cut : std::uint8_t { none, blank, word };

struct TextPart {
  std::string_view text;
  Cut before = Cut::none, after = Cut::none;
};

/// Removes the next part to encode from the front of `text`, and updates `before`. The part has at most
/// kEncodedAtOnce bytes. It ends at a blank if there is one, else between two characters.
TextPart take_part(std::string_view& text, Cut& before);

/// Whether a SentencePiece model adds a blank to what it encodes, and on which side.
struct AddedBlank {
  bool added = true, behind = false;

  explicit AddedBlank(std::string_view model);
  /// Whether the model must add a blank to this part, so that the parts' pieces are those of the text.
  bool wanted(const TextPart& part) const;
};

/// The same model, which adds a blank or does not.
std::string with_added_blank(std::string_view model, bool added);

}  // namespace transformer::data

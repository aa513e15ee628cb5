// Byte-pair encoding of bytes, as GPT-2 has it (Radford et al. 2019, section 2.2): vocab.json and merges.txt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transformer/data/vocabulary.h"

namespace transformer::data {

/// A text is cut into words, numbers, other characters and blanks, each with the blank before it. The bytes
/// of each part are joined, the pair of the lowest rank first. Pieces are spelled as in vocab.json: a
/// character for each byte, "Ġ" for a blank. Any text can be spelled.
class ByteLevelPairs {
 public:
  /// content: what content_of gave. Throws InputError, which begins with `name`, for other content.
  ByteLevelPairs(std::string_view content, const std::string& name);

  /// pieces: by their ids, special ones first (special_tokens.h); merges: "a b", by their ranks; begin: the
  /// piece that begins each text (vocabulary.h), or empty
  static std::string content_of(const std::vector<std::string>& pieces,
                                const std::vector<std::string>& merges, const std::string& begin = "");
  /// Whether it is such content, or that of another tokenizer.
  static bool is_content(std::string_view content) { return content.starts_with('{'); }

  /// Stops behind the part that gives more than `most` ids.
  std::vector<std::int32_t> encode(std::string_view text, std::size_t most) const;

  /// The bytes that a piece spells. → any bytes, as a character may have several pieces
  std::string bytes_of(std::int32_t id) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const std::vector<std::string>& merges() const { return merges_; }

 private:
  struct Content {
    Content(std::string_view content, const std::string& name);
    std::vector<std::string> pieces, merges;
    std::string begin;
  };
  ByteLevelPairs(Content content, const std::string& name);
  void append_part(std::string_view part, std::vector<std::int32_t>& ids) const;

  Vocabulary vocabulary_;
  std::vector<std::string> merges_;
  std::unordered_map<std::string_view, std::size_t> ranks_;  // of views into merges_
};

/// The same bytes, with U+FFFD in the place of what is no UTF-8.
std::string as_utf8(std::string_view bytes);

}  // namespace transformer::data

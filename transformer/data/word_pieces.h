// WordPiece, as BERT has it (Devlin et al. 2019; Schuster and Nakajima 2012): vocab.txt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/data/vocabulary.h"

namespace transformer::data {

/// What becomes of a text before it is split: the keys of tokenizer_config.json.
struct WordPieceOptions {
  bool lower_case = true;
  bool strip_accents = true;       ///< NFD, without the marks that take no room (category Mn)
  bool chinese_characters = true;  ///< each is a word

  bool operator==(const WordPieceOptions&) const = default;
};

/// Control characters are left out. Blanks and punctuation separate words, and each punctuation character is
/// a word. A word is the longest piece that it begins with, then the longest "##piece" that the rest begins
/// with, and so on. A word that cannot be spelled so, or of more than 100 characters, is unknown as a whole.
///
/// Ids are those of transformers' BertTokenizer. Its categories of characters are those of Unicode 8: newer
/// characters are ordinary letters, whose lower case is known as far as ICU knows them. A special token's
/// name in a text is plain text.
///
/// Texts lose how much space was between words, and whether there was any beside punctuation: decoded, each
/// word has one blank in front of it.
class WordPieces {
 public:
  /// content: what content_of gave. Throws InputError, which begins with `name`, for other content.
  WordPieces(std::string_view content, const std::string& name);

  /// pieces: by their ids, special ones first (special_tokens.h), without line ends
  static std::string content_of(const std::vector<std::string>& pieces, const WordPieceOptions& options);
  /// Whether it is such content, or that of another tokenizer.
  static bool is_content(std::string_view content) { return content.starts_with("WordPiece "); }

  /// Stops behind the word that gives more than `most` ids.
  std::vector<std::int32_t> encode(std::string_view text, std::size_t most) const;

  /// The text whose words are split, blanks between some of them.
  std::string normalized(std::string_view text) const;

  /// What a piece adds to a text: a blank and the piece, or what follows "##".
  std::string bytes_of(std::int32_t id) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const WordPieceOptions& options() const { return options_; }

 private:
  struct Content {
    WordPieceOptions options;
    std::vector<std::string> pieces;
  };
  static Content read(std::string_view content, const std::string& name);
  WordPieces(Content content, const std::string& name)
      : options_(content.options), vocabulary_(std::move(content.pieces), name) {}
  void append_word(std::string_view word, std::vector<std::int32_t>& ids) const;

  WordPieceOptions options_;
  Vocabulary vocabulary_;
};

}  // namespace transformer::data

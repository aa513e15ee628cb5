// Subword vocabularies: SentencePiece models with this project's special ids, or with a numbering of their
// own, or GPT-2's pairs of bytes, or BERT's WordPiece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/data/byte_level_pairs.h"
#include "transformer/data/text_parts.h"
#include "transformer/data/vocabulary.h"
#include "transformer/data/word_pieces.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace transformer::data {

/// The file of a model's vocabulary, which need not exist: X.vocabulary.json for X.model.
std::filesystem::path vocabulary_file(const std::filesystem::path& model);

/// A loaded SentencePiece model. A model of whole words (SentencePiece's type WORD) gives each word that it
/// does not know an id of its own, kUnknown, where SentencePiece makes one of several in a row. The const
/// functions may be called from several threads at once. Copies share the model.
///
/// A vocabulary file beside the model numbers the pieces. The model then only splits and joins text, as in
/// Hugging Face's MarianTokenizer. Pieces that the vocabulary lacks are unknown. If a text begins with a
/// language code such as ">>fra<<", that is its first piece. Else the vocabulary may have a piece that begins
/// each text, such as the token of a language; no text shows it.
///
/// Or the file holds GPT-2's pairs of bytes (byte_level_pairs.h) or BERT's WordPiece (word_pieces.h), and
/// SentencePiece has no part in it.
class Tokenizer {
 public:
  /// With its vocabulary, if there is a file of it. Throws InputError when the file is missing, damaged, or
  /// numbers its special pieces otherwise than special_tokens.h (unknown 0, padding 1, begin 2, end 3) and
  /// has no vocabulary.
  explicit Tokenizer(const std::filesystem::path& model);

  /// With this vocabulary, unless it is the model's own numbering.
  Tokenizer(const std::filesystem::path& model, Vocabulary vocabulary);

  /// The same model, whose texts begin with this piece. Throws InputError where it has none of that name, and
  /// for WordPiece.
  Tokenizer with_begin(std::string_view piece) const;

  /// The piece that begins each text; kUnknown where there is none.
  std::int32_t begin() const;

  /// The content of a model file, without a vocabulary; `name` stands for the file in messages.
  static Tokenizer of_content(std::string content, const std::filesystem::path& name);

  /// The ids of one sentence, without begin and end. Text that the model cannot spell becomes kUnknown.
  /// Reads no further than it must to give more than `most` ids: who gets so many knows that there are more
  /// than `most`. More than kEncodedAtOnce bytes are encoded part by part (text_parts.h), which changes
  /// nothing where a text has blanks, and elsewhere the pieces at a cut alone.
  std::vector<std::int32_t> encode(std::string_view text,
                                   std::size_t most = std::numeric_limits<std::size_t>::max()) const;

  /// The text of a sentence. kPad, kBos and kEos leave no trace; kUnknown becomes SentencePiece's " ⁇ ".
  /// Throws std::out_of_range for an id outside the vocabulary.
  std::string decode(std::span<const std::int32_t> ids) const;

  /// The pieces that `encode` numbers, for people to read.
  std::vector<std::string> pieces(std::string_view text) const;

  /// The id of a piece; kUnknown where there is none.
  std::int32_t id_of(std::string_view piece) const;

  /// The id of kMaskPiece. Throws InputError, naming the file, where there is none.
  std::int32_t mask() const;

  /// The piece of an id. Throws std::out_of_range for an id outside the vocabulary.
  std::string piece_of(std::int32_t id) const;

  /// The bytes that an id adds to a text, behind others.
  std::string bytes_of(std::int32_t id) const;

  /// The pairs of bytes, or null of another model.
  const ByteLevelPairs* pairs() const { return pairs_.get(); }

  /// WordPiece, or null of another model.
  const WordPieces* word_pieces() const { return word_pieces_.get(); }

  /// What it is in the place of a SentencePiece model, for messages; nothing of such a model.
  const char* other_kind() const;

  /// Whether the model is one of whole words.
  bool has_words() const { return words_; }

  /// The words of a text, normalised, known or not, each behind the mark for a blank: the texts of pieces. Of
  /// a model of whole words.
  std::vector<std::string> words(std::string_view text) const;

  /// The text after normalisation, with marks for blanks: the model cuts this into pieces.
  std::string normalized(std::string_view text) const;

  /// The content of the model's file.
  const std::string& serialized() const { return *content_; }

  /// Writes the model and, where there is one, its vocabulary, each whole or not at all.
  void copy_to(const std::filesystem::path& model) const;

  /// The piece of each id, special ones included.
  std::vector<std::string> all_pieces() const;

  bool has_vocabulary() const { return vocabulary_ != nullptr; }

  std::int64_t size() const;  ///< pieces in the vocabulary, special ones included
  const std::filesystem::path& path() const { return path_; }

 private:
  Tokenizer(std::string content, const std::filesystem::path& name);
  void expect_special_ids() const;
  /// The numbering that is not SentencePiece's own, or null.
  const Vocabulary* own_vocabulary() const;
  void expect_id(std::int32_t id) const;
  void append_words(const TextPart& part, std::vector<std::string>& words) const;
  void append_ids(const TextPart& part, std::vector<std::int32_t>& ids) const;
  const sentencepiece::SentencePieceProcessor& processor_for(const TextPart& part) const;
  std::string join(const std::vector<int>& ids) const;

  std::filesystem::path path_;
  std::shared_ptr<const std::string> content_;
  std::shared_ptr<const ByteLevelPairs> pairs_;                             // or null
  std::shared_ptr<const WordPieces> word_pieces_;                           // or null
  std::shared_ptr<const sentencepiece::SentencePieceProcessor> processor_;  // null beside either
  std::shared_ptr<const Vocabulary> vocabulary_;  // null where the model numbers its pieces itself
  AddedBlank blank_;
  /// The model with the blank that it does not add itself, or without: for parts of long texts.
  struct Other {
    std::once_flag made;
    std::shared_ptr<const sentencepiece::SentencePieceProcessor> processor;
  };
  std::shared_ptr<Other> other_ = std::make_shared<Other>();
  bool words_;
};

}  // namespace transformer::data

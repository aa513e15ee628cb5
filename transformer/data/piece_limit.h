// How large a vocabulary a text can give at most, known before one is trained.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace transformer::data {

/// An upper bound on the number of pieces that SentencePiece's byte-pair encoding can make: the characters,
/// the mark for a blank, and 3 n for each different word of n characters. With the mark in front, a word
/// starts with n pairs of neighbours and allows n merges, each of which makes at most two new pairs. Every
/// pair may become a piece, even one that has disappeared by its turn. Words share parts, so the true number
/// is smaller; SentencePiece reports it after its training.
class PieceLimit {
 public:
  /// Counts no further than `enough` pieces, so that a large text takes little memory and time.
  explicit PieceLimit(std::int64_t enough) : enough_(enough) {}

  /// A line of the text; one that is too long to be trained on counts for nothing.
  void add(std::string_view line);

  bool reached() const { return pieces_ >= enough_; }
  std::int64_t pieces() const { return pieces_; }            ///< the bound, where it is not reached
  std::int64_t words() const { return std::ssize(words_); }  ///< different ones, where it is not reached

 private:
  std::int64_t enough_;
  std::int64_t pieces_ = 1;  // the mark
  std::unordered_set<std::string> words_, characters_;
};

}  // namespace transformer::data

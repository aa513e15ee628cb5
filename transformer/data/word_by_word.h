// Which SentencePiece models encode each word as if it stood alone.
#pragma once

#include <string_view>

namespace transformer::data {

/// Whether the ids of a line are those of its parts between blanks (U+0020), one after another. `model` is
/// the content of a model file. False where that is not certain.
///
/// It is where
/// - the model is a byte-pair encoding. Its merges are made in the order of their scores, from left to right
///   among equals, and each depends on nothing but the two symbols that it joins: words that no merge joins
///   do not touch each other.
/// - no piece has U+2581, SentencePiece's mark for a blank, but as its first character: so no merge joins two
///   words. U+2581 alone is a piece: so the symbol that begins a word is never unknown, and SentencePiece
///   does not unite it with an unknown one in front of it.
/// - no piece is "user defined" or "unused": those are treated apart, with the whole line in view.
/// - a blank is put in front of a line, blanks in a row are one, and those at the ends of a line are dropped:
///   so a word alone begins like one within a line.
/// - no rule of normalization reads a blank, so that each finds in a word what it finds in the line.
///
/// What is left are words with something behind them that only the end of a line drops, such as a literal
/// U+2581: WordEncoder tries each word for that.
bool encodes_word_by_word(std::string_view model);

}  // namespace transformer::data

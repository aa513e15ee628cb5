// Which SentencePiece models encode each word as if it stood alone.
#pragma once

#include <string_view>

namespace transformer::data {

/// Whether the ids of a line are those of its parts between blanks (U+0020), one after another. `model` is
/// the content of a model file. False if that is not certain.
///
/// It is true if all of these hold:
/// * The model is a byte-pair encoding. It merges in the order of scores, and from left to right among
///   equals. Each merge depends only on the two symbols that it joins. So words that no merge joins do not
///   influence each other.
/// * No piece has U+2581, SentencePiece's mark for a blank, except as its first character. So no merge joins
///   two words.
/// * U+2581 alone is a piece. So the first symbol of a word is never unknown, and SentencePiece does not
///   unite it with an unknown one in front of it.
/// * No piece is "user defined" or "unused". Those are treated apart, with the whole line in view.
/// * A blank is put in front of a line, blanks in a row become one, and blanks at the ends of a line are
///   dropped. So a word alone begins like a word within a line.
/// * No rule of normalization reads a blank. So each finds the same in a word as in the line.
///
/// One case remains: a word that ends in something that SentencePiece drops only at the end of a line, such
/// as a literal U+2581. WordEncoder tests each word for that.
bool encodes_word_by_word(std::string_view model);

}  // namespace transformer::data

// SentencePiece models made of a list of pieces.
#pragma once

#include <span>
#include <string>

namespace transformer::data {

struct ScoredPiece {
  std::string text = {};  ///< with SentencePiece's mark for a blank; of a byte "<0x41>"
  float score = 0;        ///< of two neighbours, those are joined first whose piece has the highest one
};

/// The content of a model of byte-pair encoding with these pieces behind the special ones (special_tokens.h).
/// All 256 bytes are among them, in the place of unknown characters. Text is taken as it is, with a blank in
/// front.
std::string byte_pair_model(std::span<const ScoredPiece> pieces);

/// The same of whole words: texts between blanks, of which there may be several, without the mark.
std::string word_model(std::span<const std::string> words);

/// The same of single characters, one of which may be the blank. No blank is put in front of a text.
std::string character_model(std::span<const std::string> characters);

}  // namespace transformer::data

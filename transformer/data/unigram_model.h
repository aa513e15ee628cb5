// SentencePiece's unigram models (Kudo 2018) as pieces, their scores, and the map of characters in front.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transformer::data {

struct UnigramPiece {
  std::string text = {};  ///< with SentencePiece's mark for a blank
  float score = 0;        ///< logarithm of its probability
  bool in_texts = true;   ///< false: no text is split into it
};

struct UnigramModel {
  std::vector<UnigramPiece> pieces = {};  ///< by their ids
  std::string character_map = {};         ///< character_map.h
};

/// content: of a model's file. Users' own pieces are ordinary ones, with their scores. Throws InputError,
/// which begins with `name`, for other content, another type of model, and pieces for bytes.
UnigramModel read_unigram_model(std::string_view content, const std::string& name);

/// The content of a model's file. The first four pieces are the special ones (special_tokens.h). Blanks in a
/// row are one, those at both ends are left out, and one is put in front of a text.
std::string unigram_model(const UnigramModel& model);

}  // namespace transformer::data

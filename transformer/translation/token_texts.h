// What each token of a vocabulary adds to a text.
#pragma once

#include <span>
#include <vector>

#include "transformer/data/tokenizer.h"
#include "transformer/eval/types.h"

namespace transformer::translation {

class TokenTexts {
 public:
  /// Special tokens add nothing, but an unknown one counts as one character of one byte.
  explicit TokenTexts(const data::Tokenizer& tokenizer);

  /// Fills in the bytes, characters and words of a text's predictions.
  void add_to(std::span<eval::Prediction> predictions) const;

 private:
  struct Token {
    std::int32_t bytes = 0, characters = 0;
    std::int32_t inner_words = 0;  ///< that begin behind a blank within it
    bool begins_word = false;      ///< if what is before it ends in a blank
    bool ends_in_blank = false;
  };

  std::vector<Token> tokens_;
};

}  // namespace transformer::translation

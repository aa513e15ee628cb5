// What scores are computed from. Free of everything else, so that whoever computes predictions need not know
// of scores.
#pragma once

#include <cstdint>

namespace transformer::eval {

/// A model's prediction of one token of a given text, from the tokens before it.
struct Prediction {
  std::int32_t token = 0;      ///< the text's
  std::int32_t best = 0;       ///< the one that the model finds most probable
  double log_probability = 0;  ///< of the text's, natural logarithm
  // What the token adds to the text, as the tokenizer spells it (translation/token_texts.h): nothing for an
  // end.
  std::int32_t bytes = 0;       ///< of UTF-8
  std::int32_t characters = 0;  ///< code points
  std::int32_t words = 0;  ///< that begin in it: with what is no blank, behind a blank or the text's begin
};

}  // namespace transformer::eval

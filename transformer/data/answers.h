// Answers that are parts of a text: what encoders that select a span learn from (Rajpurkar et al. 2016).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transformer/data/options.h"
#include "transformer/data/tokenizer.h"

namespace transformer::data {

/// Words of a text, which blanks separate, counted from 0 over all of its parts (kPartMark).
struct WordRange {
  std::int64_t first = 0, last = 0;

  bool operator==(const WordRange&) const = default;
};

/// The words that an answer's first occurrence in the last part of a text touches. kPartMark separates
/// several answers; the first one counts. Throws InputError where the part has no such text.
WordRange find_answer(std::string_view text, std::string_view answer);

/// The words of a range; the part of the text between them as it is.
std::string words_between(std::string_view text, const WordRange& range);

/// How many words precede the last part.
std::int64_t words_before_last_part(std::string_view text);

/// A word range as the target of an example, two labels, and the labels of all numbers that there may be.
std::string as_labels(const WordRange& range);
std::int64_t most_words(const DataOptions& options);

/// Tokens first … last of a text's ids that a word has.
struct WordTokens {
  std::int64_t first = 0, last = 0;
};

/// A text's words in its order, without those that gave no token: the number of each, and its tokens among
/// the text's ids without begin token. Of a tokenizer that encodes each word by itself, as WordPiece does.
struct NumberedTokens {
  std::int64_t word = 0;
  WordTokens tokens = {};
};
std::vector<NumberedTokens> tokens_by_word(std::string_view text, const Tokenizer& tokenizer);

/// The tokens of each word. ids: without begin token, and with kEos between parts; begins: of word_begins()
/// (masked_texts.h).
std::vector<WordTokens> tokens_of_words(std::span<const std::int32_t> ids, const std::vector<bool>& begins);

}  // namespace transformer::data

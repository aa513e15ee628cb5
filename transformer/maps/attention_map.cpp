#include "transformer/maps/attention_map.h"

#include "transformer/base/blank_mark.h"

namespace transformer::maps {
namespace {

/// How many words there are.
std::size_t count_of(std::span<const std::size_t> words) {
  return words.empty() ? 0 : words.back() + 1;
}

}  // namespace

std::vector<std::size_t> words_of(std::span<const Piece> pieces) {
  std::vector<std::size_t> words;
  std::size_t begun = 0;
  bool after_special = true;
  for (const auto& piece : pieces) {
    if (piece.begins_word || piece.is_special || after_special) ++begun;
    words.push_back(begun - 1);
    after_special = piece.is_special;
  }
  return words;
}

std::vector<std::string> word_texts(std::span<const Piece> pieces) {
  const auto words = words_of(pieces);
  std::vector<std::string> texts(count_of(words));
  for (std::size_t i = 0; i < pieces.size(); ++i) texts[words[i]] += without_blank_marks(pieces[i].text);
  return texts;
}

std::vector<float> joined_words(std::span<const float> weights, std::span<const std::size_t> query_words,
                                std::span<const std::size_t> key_words) {
  const auto rows = count_of(query_words), columns = count_of(key_words);
  std::vector<float> sums(rows * columns), sizes(rows);
  for (std::size_t query = 0; query < query_words.size(); ++query) {
    ++sizes[query_words[query]];
    for (std::size_t key = 0; key < key_words.size(); ++key)
      sums[query_words[query] * columns + key_words[key]] += weights[query * key_words.size() + key];
  }
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) sums[row * columns + column] /= sizes[row];
  return sums;
}

}  // namespace transformer::maps

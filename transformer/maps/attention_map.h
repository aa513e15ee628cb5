// Figures 3 to 5: what every head of a model attends to in one sentence and its translation, or in a text.
// Free of LibTorch.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace transformer::maps {

/// A token as a person reads it.
struct Piece {
  std::string text;          ///< the vocabulary's spelling: "▁Haus", "<s>", "</s>"
  bool begins_word = false;  ///< pieces up to the next such one form a word
  bool is_special = false;   ///< begin or end token: not part of the text, and a word of its own
};

/// The weights of one kind of attention, (layers, heads, queries, keys): each row is a softmax, so its sum is
/// 1.
struct AttentionWeights {
  std::size_t layers = 0, heads = 0, queries = 0, keys = 0;
  std::vector<float> values = {};

  /// One head's, (queries, keys).
  std::span<const float> of(std::size_t layer, std::size_t head) const {
    return std::span(values).subspan((layer * heads + head) * queries * keys, queries * keys);
  }
  /// What one query gives to each key, (keys).
  std::span<const float> row(std::size_t layer, std::size_t head, std::size_t query) const {
    return of(layer, head).subspan(query * keys, keys);
  }
};

/// A pair with S source and T target tokens, the end tokens counted. A language model's text is a target
/// without a source, and has the masked weights alone.
struct AttentionMap {
  std::vector<Piece> source = {};  ///< (S), the end token last
  std::vector<Piece> read = {};    ///< (T), what the decoder reads: the begin token, then the target
  std::vector<Piece> target = {};  ///< (T), the next piece at each of these: the target, then the end token

  AttentionWeights encoder = {};  ///< (…, S, S), the source over itself
  AttentionWeights masked = {};   ///< (…, T, T), `read` over itself up to the query's own place; else 0
  AttentionWeights cross = {};    ///< (…, T, S), `read` over the source, for the prediction of `target`
};

/// The word that each piece belongs to, from 0: (pieces). A special piece is a word of its own, and what
/// follows one begins a word.
std::vector<std::size_t> words_of(std::span<const Piece> pieces);

/// The words as text, without SentencePiece's marks for blanks.
std::vector<std::string> word_texts(std::span<const Piece> pieces);

/// (queries, keys) of pieces → of words: a key word's weight is the sum over its pieces, and a query word's
/// the mean over its own, so that rows still sum to 1.
std::vector<float> joined_words(std::span<const float> weights, std::span<const std::size_t> query_words,
                                std::span<const std::size_t> key_words);

}  // namespace transformer::maps

// Figures 3 to 5: what every head of a model attends to in one sentence and its translation. Free of
// LibTorch.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace transformer::maps {

/// A token as a person reads it.
struct Piece {
  std::string text;          ///< as the vocabulary spells it: "▁Haus", "<s>", "</s>"
  bool begins_word = false;  ///< those up to the next one that begins a word are one word
  bool is_special = false;   ///< begin or end: no part of the text, and a word of its own
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

/// A pair with S source and T target tokens, the end tokens counted.
struct AttentionMap {
  std::vector<Piece> source = {};  ///< (S), the end token last
  std::vector<Piece> read = {};    ///< (T), what the decoder reads: the begin token, then the target
  std::vector<Piece> target =
      {};  ///< (T), what it is to write next at each of these: the target, then the end

  AttentionWeights encoder = {};  ///< (…, S, S), of the source over itself
  AttentionWeights masked = {};   ///< (…, T, T), over `read`: those up to the query's own; else 0
  AttentionWeights cross = {};    ///< (…, T, S), of `read` over the source, by which `target` is written
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

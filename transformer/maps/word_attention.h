// Attention between words: alignments by cross-attention, and the nouns that pronouns attend to. Free of
// LibTorch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transformer/maps/attention_map.h"
#include "transformer/maps/head_summary.h"

namespace transformer::maps {

/// Whose weights: one head's, the mean of a layer's heads, or, without a layer, of all. From 0.
struct HeadChoice {
  std::optional<std::size_t> layer = {}, head = {};
  bool operator==(const HeadChoice&) const = default;
};

/// "2:3" is the third head of the second layer, "2" the mean of the second layer's heads, "all" that of all.
/// Throws InputError for anything else.
HeadChoice parse_heads(const std::string& text);
std::string name_of(const HeadChoice& heads);

/// Throws InputError, naming the choice, where a model has no such layer or head.
void check_heads(const HeadChoice& choice, std::size_t layers, std::size_t heads);

/// Every choice there is: each head, each layer's mean, and, of several layers, that of all.
std::vector<HeadChoice> all_choices(std::size_t layers, std::size_t heads);

/// A word of the target is written at one step and read at the next one: whose row counts.
enum class Step { writes, reads };

/// Words of a query's text over the words of a key's, (queries, keys). A word of several pieces has the mean
/// of their rows and the sum of their columns (joined_words).
struct WordWeights {
  std::size_t queries = 0, keys = 0;
  std::vector<float> values = {};
  std::vector<float> special = {};  ///< (queries): on the begin or the end token, which is no word
};

/// `step` is of no effect for the encoder, where a word is there at once. Throws InputError, naming the
/// choice, where the model has no such layer or head.
WordWeights word_weights(const AttentionMap& map, AttentionKind kind, const HeadChoice& heads, Step step);

/// The word that a query's word attends to most, of equals the first; nothing where the begin or the end
/// token has more, unless that is `masked`, or where there is no word.
std::optional<std::size_t> most_attended(const WordWeights& words, std::size_t query, bool masked = false);

/// Source words and target words, by rising target words: what most_attended() says of cross-attention.
std::vector<std::pair<std::size_t, std::size_t>> aligned_words(const WordWeights& cross, bool masked = false);

}  // namespace transformer::maps

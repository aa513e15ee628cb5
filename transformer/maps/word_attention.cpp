#include "transformer/maps/word_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>
#include <string_view>
#include <system_error>

#include "transformer/base/choices.h"
#include "transformer/base/error.h"
#include "transformer/base/printable.h"

namespace transformer::maps {
namespace {

/// A number from 1 on, as one from 0 on.
std::optional<std::size_t> parse_place(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return {};
  return number - 1;
}

const AttentionWeights& weights_of_kind(const AttentionMap& map, AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder:
      return map.encoder;
    case AttentionKind::masked:
      return map.masked;
    case AttentionKind::cross:
      return map.cross;
  }
  no_such_choice();
}

const std::vector<Piece>& target_pieces(const AttentionMap& map, Step step) {
  switch (step) {
    case Step::writes:
      return map.target;
    case Step::reads:
      return map.read;
  }
  no_such_choice();
}

/// The mean of the chosen heads, (queries, keys).
std::vector<float> chosen_weights(const AttentionWeights& weights, const HeadChoice& choice) {
  check_heads(choice, weights.layers, weights.heads);
  std::vector<float> mean(weights.queries * weights.keys);
  std::size_t count = 0;
  for (std::size_t layer = 0; layer < weights.layers; ++layer) {
    for (std::size_t head = 0; head < weights.heads; ++head) {
      if (choice.layer.value_or(layer) != layer || choice.head.value_or(head) != head) continue;
      const auto own = weights.of(layer, head);
      std::ranges::transform(mean, own, mean.begin(), std::plus());
      ++count;
    }
  }
  for (auto& weight : mean) weight /= static_cast<float>(count);
  return mean;
}

/// Whether each word is a begin or an end token.
std::vector<bool> special_words(const std::vector<Piece>& pieces, const std::vector<std::size_t>& words) {
  std::vector<bool> special(words.empty() ? 0 : words.back() + 1);
  for (std::size_t i = 0; i < pieces.size(); ++i) special[words[i]] = pieces[i].is_special;
  return special;
}

}  // namespace

HeadChoice parse_heads(const std::string& text) {
  if (text == "all") return {};
  const auto colon = text.find(':');
  const auto layer = parse_place(std::string_view(text).substr(0, colon));
  const auto head =
      colon == std::string::npos ? std::nullopt : parse_place(std::string_view(text).substr(colon + 1));
  if (!layer || (colon != std::string::npos && !head))
    throw InputError(
        fmt::format("expected LAYER:HEAD, LAYER or all, counted from 1, found '{}'", printable(text)));
  return {layer, head};
}

std::string name_of(const HeadChoice& heads) {
  if (!heads.layer) return "all";
  return heads.head ? fmt::format("{}:{}", *heads.layer + 1, *heads.head + 1)
                    : fmt::format("{}", *heads.layer + 1);
}

void check_heads(const HeadChoice& choice, std::size_t layers, std::size_t heads) {
  if (choice.layer.value_or(0) >= layers || choice.head.value_or(0) >= heads)
    throw InputError(fmt::format("heads {}: expected a head of the model's {} layers with {} heads each",
                                 name_of(choice), layers, heads));
}

std::vector<HeadChoice> all_choices(std::size_t layers, std::size_t heads) {
  std::vector<HeadChoice> choices;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (std::size_t head = 0; head < heads; ++head) choices.push_back({layer, head});
    choices.push_back({layer, {}});
  }
  if (layers > 1) choices.push_back({});
  return choices;
}

WordWeights word_weights(const AttentionMap& map, AttentionKind kind, const HeadChoice& heads, Step step) {
  const bool of_source = kind == AttentionKind::encoder;
  const auto& queries = of_source ? map.source : target_pieces(map, step);
  const auto& keys = kind == AttentionKind::masked ? map.read : map.source;
  const auto query_words = words_of(queries), key_words = words_of(keys);
  const auto joined = joined_words(chosen_weights(weights_of_kind(map, kind), heads), query_words, key_words);
  const auto special_query = special_words(queries, query_words),
             special_key = special_words(keys, key_words);
  WordWeights result;
  result.keys = static_cast<std::size_t>(std::ranges::count(special_key, false));
  for (std::size_t query = 0; query < special_query.size(); ++query) {
    if (special_query[query]) continue;
    ++result.queries;
    result.special.push_back(0);
    for (std::size_t key = 0; key < special_key.size(); ++key) {
      const float weight = joined[query * special_key.size() + key];
      if (special_key[key])
        result.special.back() += weight;
      else
        result.values.push_back(weight);
    }
  }
  return result;
}

std::optional<std::size_t> most_attended(const WordWeights& words, std::size_t query, bool masked) {
  const auto row = std::span(words.values).subspan(query * words.keys, words.keys);
  const auto largest = std::ranges::max_element(row);
  if (largest == row.end() || (!masked && words.special[query] > *largest)) return {};
  return static_cast<std::size_t>(largest - row.begin());
}

std::vector<std::pair<std::size_t, std::size_t>> aligned_words(const WordWeights& cross, bool masked) {
  std::vector<std::pair<std::size_t, std::size_t>> links;
  for (std::size_t target = 0; target < cross.queries; ++target)
    if (const auto source = most_attended(cross, target, masked)) links.emplace_back(*source, target);
  return links;
}

}  // namespace transformer::maps

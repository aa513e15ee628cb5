// What each head of a model does on a corpus, in a few figures. Free of LibTorch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/maps/attention_map.h"

namespace transformer::maps {

enum class AttentionKind { encoder, masked, cross };

constexpr std::string_view name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder:
      return "encoder";
    case AttentionKind::masked:
      return "masked";
    case AttentionKind::cross:
      return "cross";
  }
  return {};
}

/// Means over all queries of all maps. A query's value is the mean over its keys, weighted by attention.
/// Positions are counted in pieces from 0; in cross-attention, on each side.
struct HeadSummary {
  AttentionKind kind = AttentionKind::encoder;
  std::size_t layer = 0, head = 0;  ///< from 0
  double entropy = 0;               ///< -Σ p ln p, in nats: 0 for one key, ln n for n equal keys
  double largest = 0;               ///< the largest weight
  double distance = 0;              ///< |position of the query - position of the key|
  // Shares of the weight:
  double previous = 0, same = 0, next = 0;  ///< just before the query's position, at it, just behind it
  double punctuation = 0;                   ///< on pieces that are only punctuation
  double special = 0;                       ///< on the end token; in masked attention, on the begin token
};

/// Whether a piece spells punctuation alone (Unicode's categories P), blanks not counted.
bool is_punctuation(std::string_view piece);

/// Adds maps of one model up.
class HeadStatistics {
 public:
  void add(const AttentionMap& map);

  /// By kind, layer and head. Empty before the first map.
  std::vector<HeadSummary> summaries() const;

 private:
  struct Sums {
    std::size_t layers = 0, heads = 0, queries = 0;
    std::vector<HeadSummary> of_heads;  // sums, not means
  };
  void add(AttentionKind kind, const AttentionWeights& weights, const std::vector<Piece>& keys);

  Sums sums_[3];
};

/// A line a head under a line of names: fields parted by tabs, with six decimals, or a table of Markdown,
/// with two. Layers and heads are counted from 1.
std::string heads_as_tsv(const std::vector<HeadSummary>& heads);
std::string heads_as_markdown(const std::vector<HeadSummary>& heads);

}  // namespace transformer::maps

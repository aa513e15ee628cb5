// Attention maps made up for tests.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "transformer/maps/attention_map.h"

namespace transformer::test {

/// Rows that are softmaxes of normal scores of this deviation. causal: a query sees no later key.
inline maps::AttentionWeights random_weights(std::mt19937& random, std::size_t layers, std::size_t heads,
                                             std::size_t queries, std::size_t keys, bool causal,
                                             double deviation = 1) {
  std::normal_distribution<double> score(0, deviation);
  maps::AttentionWeights weights{layers, heads, queries, keys};
  for (std::size_t row = 0; row < layers * heads * queries; ++row) {
    const auto seen = causal ? row % queries + 1 : keys;
    std::vector<double> powers(keys);
    double sum = 0;
    for (std::size_t key = 0; key < seen; ++key) sum += powers[key] = std::exp(score(random));
    for (const auto power : powers) weights.values.push_back(static_cast<float>(power / sum));
  }
  return weights;
}

struct MapSize {
  std::size_t layers = 6, heads = 8, source = 25, target = 25;
};

/// Words of one piece or two, and the end.
inline maps::AttentionMap random_map(std::mt19937& random, const MapSize& size, double deviation = 1) {
  const auto pieces = [](std::size_t count) {
    std::vector<maps::Piece> made;
    for (std::size_t i = 0; i < count; ++i)
      made.push_back({(i % 3 == 1 ? "" : "\u2581") + std::string("piece") + std::to_string(i), i % 3 != 1});
    return made;
  };
  const maps::Piece end{"</s>", true, true};
  maps::AttentionMap map{.source = pieces(size.source - 1), .read = {{"<s>", true, true}}};
  map.target = pieces(size.target - 1);
  map.read.insert(map.read.end(), map.target.begin(), map.target.end());
  map.source.push_back(end);
  map.target.push_back(end);
  const auto weights = [&](std::size_t queries, std::size_t keys, bool causal) {
    return random_weights(random, size.layers, size.heads, queries, keys, causal, deviation);
  };
  map.encoder = weights(size.source, size.source, false);
  map.masked = weights(size.target, size.target, true);
  map.cross = weights(size.target, size.source, false);
  return map;
}

}  // namespace transformer::test
